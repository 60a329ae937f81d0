import type { Model } from '../../core/ports.ts';
import { answerTo } from './answer.ts';
import { nextCalls } from './plan.ts';

/** A chat model without a network, a key or chance: it picks tools by the words they share with the request, fills their
 *  arguments by their schemas, and answers with what they returned. The same conversation always gives the same reply. */
export const offlineModel: Model = {
  name: 'offline',
  offline: true,
  complete: async (request, signal) => {
    signal.throwIfAborted();
    const made = request.messages.reduce(
      (count, message) => count + (message.role === 'agent' ? message.toolCalls.length : 0),
      0,
    );
    const toolCalls = nextCalls(request).map((call, index) => ({ id: `call_${made + index + 1}`, ...call }));
    return {
      text: toolCalls.length > 0 ? '' : answerTo(request),
      toolCalls,
      usage: { inputTokens: 0, outputTokens: 0 },
      costUsd: 0,
      finish: toolCalls.length > 0 ? 'tool_calls' : 'stop',
    };
  },
};
