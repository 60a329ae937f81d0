import { ChatAnthropic } from '@langchain/anthropic';
import type { AIMessageChunk } from '@langchain/core/messages';
import { ExecutionFailure } from '../../core/errors.ts';
import type { ModelTool } from '../../core/ports.ts';
import { readChunks } from '../langchain/chunks.ts';
import type { Provider } from '../provider.ts';
import { beyondEveryTimeoutMs } from '../time-limit.ts';
import { toMessages } from './messages.ts';
import { keepThinking } from './thinking.ts';

/** Chat models of Anthropic, and of servers that speak its Messages API. */
export const openAnthropic: Provider = ({ name, model, baseUrl, apiKey }, { fetch }) => {
  const chat = new ChatAnthropic({
    model,
    apiKey,
    // The key may only be sent where our settings say, whatever the process's environment names.
    anthropicApiUrl: baseUrl,
    clientOptions: {
      authToken: null,
      fetch: fetch as typeof globalThis.fetch,
      logLevel: 'off',
      timeout: beyondEveryTimeoutMs,
    },
    maxRetries: 0,
    // Thoughts count too; the client knows the few models that may not write as much.
    ...(model.startsWith('claude-3-') ? {} : { maxTokens: 32_000 }),
  });
  return async (request, signal) => {
    const tools = request.tools.map((tool) => toTool(name, tool));
    const stream = await chat.stream(toMessages(request), { signal, ...(tools.length > 0 ? { tools } : {}) });
    return readChunks(stream, finishOf, ({ content }) => keepThinking(content));
  };
};

/** The client would leave a tool out that the API does not take, and say nothing. */
function toTool(model: string, { name, description, inputSchema }: ModelTool) {
  const refused = ['anyOf', 'oneOf', 'allOf'].find((key) => key in inputSchema);
  if (refused !== undefined) {
    throw new ExecutionFailure(
      'model',
      'tool_refused',
      `The model ${model} takes no tool whose input schema has "${refused}" at its top level, as that of "${name}" has. Take the tool from the agent, or test it with another provider.`,
    );
  }
  return { name, description, input_schema: { ...inputSchema, type: 'object' as const } };
}

const finishes: Record<string, string> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  tool_use: 'tool_calls',
  max_tokens: 'length',
  refusal: 'content_filter',
};

function finishOf({ additional_kwargs: { stop_reason: reason } }: AIMessageChunk): string | null {
  return typeof reason === 'string' ? (finishes[reason] ?? reason) : null;
}
