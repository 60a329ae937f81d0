import { ChatOpenAI } from '@langchain/openai';
import { ExecutionFailure } from '../../core/errors.ts';
import type { Model } from '../../core/ports.ts';
import { withAttempts } from '../attempts.ts';
import type { Provider, ProviderContext } from '../provider.ts';
import { requestTimeoutMs, withinLimit } from '../time-limit.ts';
import { explained } from './failure.ts';
import { readReply } from './reply.ts';
import { toMessages, toTools } from './request.ts';

const officialUrl = 'https://api.openai.com/v1';

/** Chat models of OpenAI and of every server that speaks its API. Settings: `OPENAI_API_KEY`, `OPENAI_BASE_URL`, and
 *  `OPENAI_API`, which is `chat` (chat completions, the default) or `responses`. */
export const openOpenai: Provider = async (model, context) => {
  const name = `openai:${model}`;
  if (model === '') {
    throw new ExecutionFailure(
      'model',
      'no_model',
      'The model "openai" names no model: write "openai:<model name>".',
    );
  }
  const settings = readSettings(name, context.environment);
  context.secretsSeen(settings.apiKey);
  const chat = new ChatOpenAI({
    model,
    apiKey: settings.apiKey,
    // The key may only be sent where our settings say, whatever the process's environment names.
    configuration: { baseURL: settings.baseUrl, fetch: context.fetch as typeof fetch },
    useResponsesApi: settings.api === 'responses',
    streaming: true,
    maxRetries: 0,
    // Ours is shorter and tells a timeout from a cancel.
    timeout: settings.timeoutMs + 60_000,
  });
  return asModel(name, chat, settings, context);
};

function asModel(
  name: string,
  chat: ChatOpenAI,
  settings: Settings,
  { clock, redact }: ProviderContext,
): Model {
  const limit = { ms: settings.timeoutMs, model: name, clock };
  const explain = (error: unknown) =>
    explained(error, { model: name, baseUrl: shown(settings.baseUrl), redact });
  return {
    name,
    offline: false,
    complete: (request, signal) => {
      const messages = toMessages(request);
      const tools = toTools(request.tools);
      const attempt = async (ends: AbortSignal) => {
        const stream = await chat.stream(messages, { signal: ends, ...(tools.length > 0 ? { tools } : {}) });
        return readReply(name, request.messages, stream);
      };
      return withAttempts(() => withinLimit(attempt, limit, signal), explain, clock, signal);
    },
  };
}

interface Settings {
  apiKey: string;
  baseUrl: string;
  api: 'chat' | 'responses';
  timeoutMs: number;
}

function readSettings(name: string, environment: Record<string, string | undefined>): Settings {
  const apiKey = environment.OPENAI_API_KEY?.trim() ?? '';
  if (apiKey === '') {
    throw new ExecutionFailure(
      'model',
      'no_key',
      `The model ${name} needs a key: set OPENAI_API_KEY (to any text where the server at OPENAI_BASE_URL asks for none).`,
    );
  }
  const baseUrl = environment.OPENAI_BASE_URL?.trim() || officialUrl;
  if (!/^https?:$/.test(URL.parse(baseUrl)?.protocol ?? '')) {
    throw invalid('OPENAI_BASE_URL', baseUrl, `must be an http or https address such as ${officialUrl}`);
  }
  const api = environment.OPENAI_API?.trim() || 'chat';
  if (api !== 'chat' && api !== 'responses')
    throw invalid('OPENAI_API', api, 'must be "chat" or "responses"');
  return { apiKey, baseUrl, api, timeoutMs: requestTimeoutMs(environment) };
}

function invalid(variable: string, value: string, rule: string): ExecutionFailure {
  return new ExecutionFailure('model', 'invalid_setting', `${variable} is "${shown(value)}": it ${rule}.`);
}

/** An address without the user name and password it may hold. */
function shown(address: string): string {
  return address.replace(/\/\/[^/@]*@/, '//');
}
