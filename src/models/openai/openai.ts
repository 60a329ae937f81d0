import type { AIMessageChunk } from '@langchain/core/messages';
import { ChatOpenAI } from '@langchain/openai';
import { invalidSetting } from '../connection.ts';
import { readChunks } from '../langchain/chunks.ts';
import { toMessages, toTools } from '../langchain/messages.ts';
import type { Provider } from '../provider.ts';
import { beyondEveryTimeoutMs } from '../time-limit.ts';

/** Chat models of OpenAI and of every server that speaks its API, through chat completions unless `OPENAI_API` is
 *  `responses`. */
export const openOpenai: Provider = ({ model, baseUrl, apiKey }, { environment, fetch }) => {
  const api = environment.OPENAI_API?.trim() || 'chat';
  if (api !== 'chat' && api !== 'responses')
    throw invalidSetting('OPENAI_API', api, 'must be "chat" or "responses"');
  const chat = new ChatOpenAI({
    model,
    apiKey,
    // The key may only be sent where our settings say, whatever the process's environment names.
    configuration: { baseURL: baseUrl, fetch: fetch as typeof globalThis.fetch, logLevel: 'off' },
    useResponsesApi: api === 'responses',
    streaming: true,
    maxRetries: 0,
    // Ours is shorter and tells a timeout from a cancel.
    timeout: beyondEveryTimeoutMs,
  });
  return async (request, signal) => {
    const tools = toTools(request.tools);
    const stream = await chat.stream(toMessages(request), { signal, ...(tools.length > 0 ? { tools } : {}) });
    return readChunks(stream, finishOf);
  };
};

/** Chat completions give a finish reason; the Responses API gives a status, and why a reply is incomplete. */
function finishOf(chunk: AIMessageChunk): string | null {
  const { finish_reason, status, incomplete_details } = chunk.response_metadata as {
    finish_reason?: string;
    status?: string;
    incomplete_details?: { reason?: string } | null;
  };
  if (finish_reason) return finish_reason;
  if (status === 'completed') return 'stop';
  if (status !== 'incomplete') return null;
  const reason = incomplete_details?.reason ?? 'incomplete';
  return reason === 'max_output_tokens' ? 'length' : reason;
}
