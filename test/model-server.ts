import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { expect } from 'vitest';
import type { Clock, ModelRequest, ModelTool } from '../src/core/ports.ts';
import { createModels, type ModelsOptions } from '../src/models/models.ts';
import { secrets } from './tool-bench.ts';

/** Time as it is, but for the pauses between attempts: those are noted and not waited for. */
export function hastyClock(): Clock & { pauses: number[] } {
  const pauses: number[] = [];
  return {
    pauses,
    now: () => new Date(),
    monotonicMs: () => performance.now(),
    sleep: async (ms, signal) => {
      signal.throwIfAborted();
      if (ms >= 500 && ms <= 30_000) pauses.push(ms);
      else await wait(ms, undefined, { signal });
    },
  };
}

/** A provider as tests reach it on loopback. */
export interface TestedProvider {
  provider: string;
  model: string;
  /** What makes the provider go to this address with this key. */
  at(url: string, key: string): Pick<ModelsOptions, 'environment' | 'workspaces'>;
  /** What messages name where the key or the address is in doubt. */
  keySource: string;
  urlSource: string;
  /** The header that carries the key. */
  keyIn: string;
}

export const openai: TestedProvider = {
  provider: 'openai',
  model: 'openai:gpt-5-mini',
  at: (url, key) => ({ environment: { OPENAI_API_KEY: key, OPENAI_BASE_URL: `${url}/v1` } }),
  keySource: 'OPENAI_API_KEY',
  urlSource: 'OPENAI_BASE_URL',
  keyIn: 'authorization',
};
export const anthropic: TestedProvider = {
  provider: 'anthropic',
  model: 'anthropic:claude-sonnet-4-5',
  at: (url, key) => ({ environment: { ANTHROPIC_API_KEY: key, ANTHROPIC_BASE_URL: url } }),
  keySource: 'ANTHROPIC_API_KEY',
  urlSource: 'ANTHROPIC_BASE_URL',
  keyIn: 'x-api-key',
};
/** Only workspaces say where it is. */
export const google: TestedProvider = {
  provider: 'google-genai',
  model: 'google-genai:gemini-2.5-flash',
  at: (url, key) => setInWorkspace('google-genai', url, key),
  keySource: 'the key of "google-genai" in the settings of the workspace',
  urlSource: 'the base URL of "google-genai" in the settings of the workspace',
  keyIn: 'x-goog-api-key',
};
/** Its key is set in workspaces only. */
export const ollama: TestedProvider = {
  provider: 'ollama',
  model: 'ollama:llama3.2',
  at: (url, key) => setInWorkspace('ollama', url, key),
  keySource: 'the key of "ollama" in the settings of the workspace',
  urlSource: 'the base URL of "ollama" in the settings of the workspace',
  keyIn: 'authorization',
};

/** Every workspace says this of the provider. */
export function setInWorkspace(
  provider: string,
  baseUrl: string | null,
  key: string | null,
): Pick<ModelsOptions, 'environment' | 'workspaces'> {
  const set = { baseUrl, key: key === null ? null : secrets.seal(key), revision: 1 };
  return {
    environment: {},
    workspaces: { read: async (_workspaceId, asked) => (asked === provider ? set : null), secrets },
  };
}

export const getWeather: ModelTool = {
  name: 'get_weather',
  description: 'The weather in a city',
  inputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};

export function ask(text: string, more: Partial<ModelRequest> = {}): ModelRequest {
  return { system: 'Be brief.', messages: [{ role: 'user', text }], tools: [], ...more };
}

/** Opens the model and makes one request. */
export async function complete(
  model: string,
  options: ModelsOptions,
  request: ModelRequest,
  signal: AbortSignal = new AbortController().signal,
) {
  const opened = await createModels(options).open(model, 'workspace');
  return opened.complete(request, signal);
}

/** A failure of a model whose message holds every part. */
export function failure(code: string, ...parts: (string | RegExp)[]) {
  return expect.objectContaining({
    name: 'ExecutionFailure',
    where: 'model',
    code,
    message: expect.toSatisfy((message: string) =>
      parts.every((part) => (typeof part === 'string' ? message.includes(part) : part.test(message))),
    ),
  });
}

/** A server on loopback that answers as it likes. */
export async function served(answer: RequestListener) {
  const server = createHttpServer(answer).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A server that streams these events and then ends. */
export function streamed(events: { event?: string; data: unknown }[]) {
  return served((_request, response) => {
    response.setHeader('content-type', 'text/event-stream');
    for (const { event, data } of events) {
      response.write(`${event === undefined ? '' : `event: ${event}\n`}data: ${JSON.stringify(data)}\n\n`);
    }
    response.end();
  });
}

/** A port where nobody listens. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
