import type { ModelRequest } from '../../core/ports.ts';
import { skillLoaderOf } from './skills.ts';

/** What the offline model says when nothing is left to call: what the tools returned since the user spoke, and nothing
 *  that is not in the conversation. */
export function answerTo(request: ModelRequest): string {
  const spokenAt = request.messages.findLastIndex((message) => message.role === 'user');
  const returned = request.messages.slice(spokenAt + 1).filter((message) => message.role === 'tool');
  if (returned.length === 0) {
    return request.tools.length === 0
      ? 'I have no tools to do this with.'
      : 'None of my tools fits this request.';
  }
  const loader = skillLoaderOf(request)?.tool.name;
  const byTools = returned.filter((message) => message.name !== loader);
  const text = (byTools.length > 0 ? byTools : returned)
    .map(({ name, text, isError }) => (isError ? `${name} failed: ${text.trim()}` : text.trim()))
    .filter((text) => text !== '')
    .join('\n\n');
  return text === '' ? 'The tools returned nothing.' : text;
}
