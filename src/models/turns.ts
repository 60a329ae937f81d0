import type { ModelMessage } from '../core/ports.ts';

type ToolMessage = Extract<ModelMessage, { role: 'tool' }>;
type Said = Exclude<ModelMessage, ToolMessage>;

/** The history for providers that take no message without content, and want the results of the calls of one reply
 *  together: what was said, and lists of results. */
export function turnsOf(messages: readonly ModelMessage[]): (Said | ToolMessage[])[] {
  const turns: (Said | ToolMessage[])[] = [];
  for (const message of messages) {
    const last = turns.at(-1);
    if (message.role !== 'tool') {
      if (message.role === 'user' || message.text !== '' || message.toolCalls.length > 0) turns.push(message);
    } else if (Array.isArray(last)) last.push(message);
    else turns.push([message]);
  }
  return turns;
}
