import { openOpenai } from '../openai/openai.ts';
import type { Provider } from '../provider.ts';

/** Models of Ollama, through the chat completions that it offers beside its own API. */
export const openOllama: Provider = (connection, context) =>
  openOpenai(
    {
      ...connection,
      baseUrl: `${connection.baseUrl.replace(/\/+$/, '')}/v1`,
      // the client insists on a key, which Ollama ignores
      apiKey: connection.apiKey || 'ollama',
    },
    { ...context, environment: {} },
  );
