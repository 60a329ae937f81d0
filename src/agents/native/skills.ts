import type { FrozenAgent } from '../../core/frozen.ts';
import type { ModelTool, ToolAnswer, ToolCall } from '../../core/ports.ts';

type Skill = FrozenAgent['skills'][number];

/** The built-in tool that loads a skill: what the model sees of it, and what its calls lead to. */
export interface SkillLoader {
  tool: ModelTool;
  /** A skill that is not there gives an answer with `isError`, and no `skill`. */
  load(call: ToolCall): { answer: ToolAnswer; skill: string | null };
}

/** Null where there is nothing to load. The tool gets a name that no tool of a server has. */
export function createSkillLoader(skills: Skill[], taken: ModelTool[]): SkillLoader | null {
  if (skills.length === 0) return null;
  const names = skills.map((skill) => skill.name);
  return {
    tool: {
      name: freeName(new Set(taken.map((tool) => tool.name))),
      description: 'Loads the whole text of a skill. Call it before you do what the skill is for.',
      inputSchema: {
        type: 'object',
        properties: { name: { type: 'string', enum: names, description: 'Name of the skill' } },
        required: ['name'],
        additionalProperties: false,
      },
    },
    load: ({ callId, ...call }) => {
      const asked = 'args' in call ? call.args.name : undefined;
      const skill = skills.find(({ name }) => name === asked);
      if (skill !== undefined) {
        return { answer: { callId, text: skill.body, isError: false }, skill: skill.name };
      }
      const text = `There is no skill ${JSON.stringify(asked ?? null)}. There are: ${names.join(', ')}.`;
      return { answer: { callId, text, isError: true }, skill: null };
    },
  };
}

function freeName(taken: Set<string>): string {
  let name = 'load_skill';
  for (let number = 2; taken.has(name); number++) name = `load_skill_${number}`;
  return name;
}
