import type { ModelRequest, ModelTool } from '../../core/ports.ts';
import type { PlannedCall } from './planned-call.ts';
import { contentStems, isStopWord, partsOf, stem } from './words.ts';

/** How many words a request must share with a skill that it does not name. */
const sharedWords = 2;

/** A tool that loads what the system text offers: its one argument is a choice, and the system text explains every
 *  choice on a line `- <choice>: <what it is for>`. */
export interface SkillLoader {
  tool: ModelTool;
  argument: string;
  skills: { name: string; description: string }[];
}

export function skillLoaderOf(request: Pick<ModelRequest, 'system' | 'tools'>): SkillLoader | null {
  const lines = request.system.split('\n').map((line) => line.trim());
  for (const tool of request.tools) {
    const [argument, ...others] = Object.entries(
      (tool.inputSchema.properties ?? {}) as Record<string, unknown>,
    );
    if (argument === undefined || others.length > 0) continue;
    const [key, schema] = argument;
    const choices = (schema as { enum?: unknown }).enum;
    if (!Array.isArray(choices) || choices.length === 0) continue;
    const skills = choices.map((name) => ({
      name: String(name),
      line: lines.find((line) => line.startsWith(`- ${name}: `)),
    }));
    if (skills.some((skill) => skill.line === undefined)) continue;
    return {
      tool,
      argument: key,
      skills: skills.map(({ name, line }) => ({
        name,
        description: line?.slice(`- ${name}: `.length) ?? '',
      })),
    };
  }
  return null;
}

/** Loads the skills that the request names, else the one that shares most words with it; none twice in a conversation. */
export function skillCalls(text: string, loader: SkillLoader, loaded: Set<string>): PlannedCall[] {
  const spoken = new Set(
    partsOf(text)
      .filter((part) => !isStopWord(part))
      .map(stem),
  );
  const sequence = ` ${partsOf(text).join(' ')} `;
  const rated = loader.skills.map((skill) => {
    const name = partsOf(skill.name);
    const words = new Set([...contentStems(name), ...contentStems(partsOf(skill.description))]);
    const shared = [...words].filter((word) => spoken.has(word)).length;
    return { skill, isNamed: name.length > 0 && sequence.includes(` ${name.join(' ')} `), shared };
  });
  const named = rated.filter((entry) => entry.isNamed);
  const [best] = rated
    .filter((entry) => entry.shared >= sharedWords)
    .sort((left, right) => right.shared - left.shared);
  const chosen = named.length > 0 ? named : best === undefined ? [] : [best];
  return chosen
    .filter(({ skill }) => !loaded.has(skill.name))
    .map(({ skill }) => ({ name: loader.tool.name, args: { [loader.argument]: skill.name } }));
}
