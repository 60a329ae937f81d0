import type { FrozenAgent } from '../../core/frozen.ts';

/** What the model is told before the conversation: the instructions, the prompts, and which skills can be loaded, each
 *  on a line `- <name>: <description>`. `loader` is the name of the tool that loads them. */
export function systemText(agent: FrozenAgent, loader: string | null): string {
  const parts = [agent.instructions, ...agent.prompts.map((prompt) => prompt.body)];
  if (loader !== null) {
    const lines = agent.skills.map(({ name, description }) => `- ${name}: ${oneLine(description) || name}`);
    parts.push(
      [
        `Skills hold further instructions. Before you do what one of them is for, load it: call ${loader} with its name.`,
        ...lines,
      ].join('\n'),
    );
  }
  return parts.filter((part) => part.trim() !== '').join('\n\n');
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
