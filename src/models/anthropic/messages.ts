import { AIMessage, type BaseMessage, HumanMessage } from '@langchain/core/messages';
import type { ModelRequest } from '../../core/ports.ts';
import { systemMessages, toMessage } from '../langchain/messages.ts';
import { turnsOf } from '../turns.ts';
import { withThinking } from './thinking.ts';

/** A request as the API takes it. Results are written here, because the client does not say which of them are errors. */
export function toMessages({ system, messages }: ModelRequest): BaseMessage[] {
  const turns = turnsOf(messages).map((turn) => {
    if (Array.isArray(turn)) {
      return new HumanMessage({
        content: turn.map(({ callId, text, isError }) => ({
          type: 'tool_result',
          tool_use_id: callId,
          content: text,
          is_error: isError,
        })),
      });
    }
    const content = turn.role === 'agent' ? withThinking(turn) : undefined;
    return content === undefined ? toMessage(turn) : new AIMessage({ content });
  });
  return [...systemMessages(system), ...turns];
}
