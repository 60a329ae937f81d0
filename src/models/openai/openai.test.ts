import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { LLMock } from '@copilotkit/aimock';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Clock, ModelRequest, ModelTool } from '../../core/ports.ts';
import { createGuardedFetch } from '../../net/guarded-fetch.ts';
import { createRedaction } from '../../net/redaction.ts';
import { createModels } from '../models.ts';

/** Time as it is, but for the pauses between attempts: those are noted and not waited for. */
function hastyClock(): Clock & { pauses: number[] } {
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

let mock: LLMock;
let clock: ReturnType<typeof hastyClock>;
beforeEach(async () => {
  mock = new LLMock({ port: 0 });
  clock = hastyClock();
  await mock.start();
});
afterEach(() => mock.stop());

const getWeather: ModelTool = {
  name: 'get_weather',
  description: 'The weather in a city',
  inputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};

function ask(text: string, more: Partial<ModelRequest> = {}): ModelRequest {
  return { system: 'Be brief.', messages: [{ role: 'user', text }], tools: [], ...more };
}

async function complete(
  request: ModelRequest,
  settings: { model?: string; environment?: Record<string, string>; signal?: AbortSignal } = {},
) {
  const models = createModels({
    environment: { OPENAI_API_KEY: 'sk-test-1', OPENAI_BASE_URL: `${mock.url}/v1`, ...settings.environment },
    clock,
  });
  const model = await models.open(settings.model ?? 'openai:gpt-5-mini', 'workspace');
  return model.complete(request, settings.signal ?? new AbortController().signal);
}

const failure = (code: string, ...parts: (string | RegExp)[]) =>
  expect.objectContaining({
    name: 'ExecutionFailure',
    where: 'model',
    code,
    message: expect.toSatisfy((message: string) =>
      parts.every((part) => (typeof part === 'string' ? message.includes(part) : part.test(message))),
    ),
  });

describe.each(['chat', 'responses'])('through the %s API', (api) => {
  const environment = { OPENAI_API: api };

  test('answers with text, usage, cost and finish', async () => {
    const usage =
      api === 'chat'
        ? { prompt_tokens: 1000, completion_tokens: 500 }
        : { input_tokens: 1000, output_tokens: 500 };
    mock.onMessage('hello', { content: 'Hi there!', usage });
    expect(await complete(ask('hello'), { environment })).toEqual({
      text: 'Hi there!',
      toolCalls: [],
      usage: { inputTokens: 1000, outputTokens: 500 },
      costUsd: 0.00125,
      finish: 'stop',
    });
  });

  test('puts a reply together that is streamed one character at a time', async () => {
    mock.onMessage('hello', { content: 'Grüße, 世界!' }, { chunkSize: 1 });
    expect((await complete(ask('hello'), { environment })).text).toBe('Grüße, 世界!');
    expect(mock.getLastRequest()?.body).toMatchObject({ stream: true });
  });

  test('hands on a tool call with its arguments', async () => {
    mock.onMessage('weather', {
      toolCalls: [{ name: 'get_weather', arguments: { city: 'Hà Nội' }, id: 'call_a' }],
    });
    expect(await complete(ask('weather?', { tools: [getWeather] }), { environment })).toMatchObject({
      text: '',
      toolCalls: [{ id: 'call_a', name: 'get_weather', args: { city: 'Hà Nội' } }],
      finish: 'tool_calls',
    });
  });

  test('hands on parallel tool calls in their order, each with an id of its own', async () => {
    mock.onMessage('weather', {
      content: 'Let me look.',
      toolCalls: [
        { name: 'get_weather', arguments: { city: 'Paris' }, id: 'same' },
        { name: 'get_weather', arguments: { city: 'Rome' }, id: 'same' },
      ],
    });
    const reply = await complete(ask('weather?', { tools: [getWeather] }), { environment });
    expect(reply.text).toBe('Let me look.');
    expect(reply.toolCalls).toMatchObject([{ args: { city: 'Paris' } }, { args: { city: 'Rome' } }]);
    expect(new Set(reply.toolCalls.map((call) => call.id)).size).toBe(2);
  });

  test.each(['{"city": "Par', 'Paris', '["Paris"]', '"Paris"'])(
    'keeps the arguments %s as no JSON object',
    async (raw) => {
      mock.onMessage('weather', { toolCalls: [{ name: 'get_weather', arguments: raw }] });
      const { toolCalls } = await complete(ask('weather?', { tools: [getWeather] }), { environment });
      expect(toolCalls).toMatchObject([{ name: 'get_weather', unreadableArgs: raw }]);
    },
  );

  test('sends the system text, the tools, and the calls and results before', async () => {
    mock.on({ hasToolResult: true }, { content: 'Sunny.' });
    const reply = await complete(
      ask('weather?', {
        tools: [getWeather],
        messages: [
          { role: 'user', text: 'weather?' },
          {
            role: 'agent',
            text: 'One moment.',
            toolCalls: [
              { id: 'c1', name: 'get_weather', args: { city: 'Rome' } },
              { id: 'c2', name: 'get_weather', unreadableArgs: '{"city"' },
            ],
          },
          { role: 'tool', callId: 'c1', name: 'get_weather', text: '31 °C', isError: false },
          { role: 'tool', callId: 'c2', name: 'get_weather', text: 'no JSON', isError: true },
        ],
      }),
      { environment },
    );
    expect(reply.text).toBe('Sunny.');
    const sent = mock.getLastRequest();
    expect(sent?.path).toBe(api === 'chat' ? '/v1/chat/completions' : '/v1/responses');
    const body = JSON.stringify(sent?.body);
    for (const part of ['Be brief.', 'One moment.', '31 °C', 'c2', 'no JSON', 'The weather in a city']) {
      expect(body).toContain(part);
    }
  });

  test('asks again when the rate is limited, after the time that the server names', async () => {
    mock.on({ sequenceIndex: 0 }, { error: { message: 'slow down' }, status: 429, retryAfter: 7 });
    mock.on({ sequenceIndex: 1 }, { content: 'Here I am.' });
    expect((await complete(ask('hello'), { environment })).text).toBe('Here I am.');
    expect(clock.pauses).toEqual([7000]);
  });

  test('asks again when the connection drops in the middle of a reply', async () => {
    mock.on(
      { sequenceIndex: 0 },
      { content: 'A long answer that will not arrive.' },
      { chunkSize: 2, truncateAfterChunks: 3 },
    );
    mock.on({ sequenceIndex: 1 }, { content: 'Here I am.' });
    expect((await complete(ask('hello'), { environment })).text).toBe('Here I am.');
    expect(clock.pauses).toEqual([500]);
  });
});

describe('when it fails', () => {
  test('gives up on a limited rate after three attempts', async () => {
    mock.on({}, { error: { message: 'slow down' }, status: 429, retryAfter: 2 });
    await expect(complete(ask('hello'))).rejects.toEqual(
      failure('rate_limited', 'openai:gpt-5-mini', mock.url, 'slow down', '3 attempts', /fewer cases/),
    );
    expect(mock.getRequests()).toHaveLength(3);
    expect(clock.pauses).toEqual([2000, 2000]);
  });

  test('shows no part of the key, though it cuts what the provider said', async () => {
    mock.on({}, { error: { message: `${'.'.repeat(480)} bad key hunter22-key` }, status: 401 });
    const { remember, redact } = createRedaction();
    const models = createModels({
      environment: { OPENAI_API_KEY: 'hunter22-key', OPENAI_BASE_URL: `${mock.url}/v1` },
      clock,
      secretsSeen: remember,
      redact,
    });
    const model = await models.open('openai:gpt-5-mini', 'workspace');
    await expect(model.complete(ask('hello'), new AbortController().signal)).rejects.toEqual(
      failure('unauthorized', 'bad key [', /^(?!.*hunter)/s),
    );
  });

  test('does not wait for a server that asks for minutes', async () => {
    mock.on({}, { error: { message: 'slow down' }, status: 429, retryAfter: 600 });
    await expect(complete(ask('hello'))).rejects.toEqual(failure('rate_limited', 'wait 600 s'));
    expect(mock.getRequests()).toHaveLength(1);
  });

  test('does not ask again when the account has run out', async () => {
    mock.on({}, { error: { message: 'You exceeded your quota', code: 'insufficient_quota' }, status: 429 });
    await expect(complete(ask('hello'))).rejects.toEqual(failure('quota_exhausted', 'OPENAI_API_KEY'));
    expect(mock.getRequests()).toHaveLength(1);
  });

  test('tries a server error three times, with growing pauses', async () => {
    mock.on({}, { error: { message: 'oh no' }, status: 503 });
    await expect(complete(ask('hello'))).rejects.toEqual(
      failure('provider_error', '503', 'oh no', '3 attempts'),
    );
    expect(clock.pauses).toEqual([500, 1000]);
  });

  test.each([
    [401, 'unauthorized', 'OPENAI_API_KEY'],
    [404, 'unknown_model', 'OPENAI_BASE_URL'],
    [400, 'refused', 'too long'],
  ])('does not repeat a request that was refused with %d', async (status, code, hint) => {
    mock.on({}, { error: { message: 'too long' }, status });
    await expect(complete(ask('hello'))).rejects.toEqual(
      failure(code, String(status), hint, /^(?!.*Troubleshooting)/s),
    );
    expect(mock.getRequests()).toHaveLength(1);
  });

  test('ends a request that hangs at the limit, and names the setting', async () => {
    mock.on({}, { content: 'late' }, { chaos: { latencyMs: 20_000 } });
    const begin = performance.now();
    await expect(
      complete(ask('hello'), { environment: { ASSAY_MODEL_TIMEOUT_SECONDS: '0.2' } }),
    ).rejects.toEqual(failure('timeout', '0.2 s', 'ASSAY_MODEL_TIMEOUT_SECONDS'));
    expect(performance.now() - begin).toBeLessThan(2000);
  });

  test('ends a reply that stops arriving at the limit', async () => {
    mock.on({}, { content: 'very late indeed' }, { chunkSize: 1, latency: 3000 });
    await expect(
      complete(ask('hello'), { environment: { ASSAY_MODEL_TIMEOUT_SECONDS: '0.3' } }),
    ).rejects.toEqual(failure('timeout'));
  });

  test('rejects with the reason of the signal as soon as it aborts', async () => {
    mock.on({}, { content: 'late' }, { chaos: { latencyMs: 20_000 } });
    const cancel = new AbortController();
    const reason = new Error('cancelled by a person');
    const reply = complete(ask('hello'), { signal: cancel.signal });
    setTimeout(() => cancel.abort(reason), 100);
    const begin = performance.now();
    await expect(reply).rejects.toBe(reason);
    expect(performance.now() - begin).toBeLessThan(1000);
  });

  test('names the address that cannot be reached', async () => {
    const port = await freePort();
    const environment = { OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1` };
    await expect(complete(ask('hello'), { environment })).rejects.toEqual(
      failure('unreachable', `http://127.0.0.1:${port}/v1`, 'ECONNREFUSED', 'OPENAI_BASE_URL', '3 attempts'),
    );
  });

  test('says so when the address answers with something else', async () => {
    await using page = await served((_request, response) => response.end('<html>Welcome!</html>'));
    const environment = { OPENAI_BASE_URL: page.url };
    await expect(complete(ask('hello'), { environment })).rejects.toEqual(
      failure('incomplete_reply', page.url, 'OPENAI_BASE_URL'),
    );
  });

  test('does not take a reply without an end for a whole one', async () => {
    await using server = await served((_request, response) => {
      response.setHeader('content-type', 'text/event-stream');
      const delta = { role: 'assistant', content: 'The answer is' };
      response.end(`data: ${JSON.stringify({ id: 'c1', choices: [{ index: 0, delta }] })}\n\n`);
    });
    await expect(complete(ask('hello'), { environment: { OPENAI_BASE_URL: server.url } })).rejects.toEqual(
      failure('incomplete_reply', server.url, '3 attempts'),
    );
  });

  test('does not repeat a call that is not allowed', async () => {
    const guarded = createModels({
      environment: { OPENAI_API_KEY: 'sk-test-1', OPENAI_BASE_URL: `${mock.url}/v1` },
      clock,
      fetch: createGuardedFetch({ allowPrivate: false }),
    });
    const model = await guarded.open('openai:gpt-5-mini', 'workspace');
    await expect(model.complete(ask('hello'), new AbortController().signal)).rejects.toEqual(
      failure('blocked_address', 'openai:gpt-5-mini', '127.0.0.1'),
    );
    expect(clock.pauses).toEqual([]);
  });
});

test('says that a reply was cut at its length', async () => {
  mock.onMessage('hello', { content: 'Once upon', finishReason: 'length' });
  expect(await complete(ask('hello'))).toMatchObject({ text: 'Once upon', finish: 'length' });

  const incomplete = {
    status: 'incomplete',
    output: [],
    incomplete_details: { reason: 'max_output_tokens' },
  };
  const event = { type: 'response.incomplete', response: { id: 'r1', ...incomplete } };
  await using server = await served((_request, response) => {
    response.setHeader('content-type', 'text/event-stream');
    response.end(`event: response.incomplete\ndata: ${JSON.stringify(event)}\n\n`);
  });
  const environment = { OPENAI_API: 'responses', OPENAI_BASE_URL: server.url };
  expect(await complete(ask('hello'), { environment })).toMatchObject({
    text: '',
    finish: 'length',
    usage: null,
  });
});

test('sends the key to the address in the settings, through the fetch that it was given', async () => {
  const keys: unknown[] = [];
  await using server = await served((request, response) => {
    keys.push(request.headers.authorization);
    response.writeHead(400).end('{}');
  });
  const seen: string[] = [];
  const called: string[] = [];
  const guarded = createGuardedFetch({ allowPrivate: true });
  const models = createModels({
    environment: { OPENAI_API_KEY: 'sk-test-1', OPENAI_BASE_URL: `${server.url}/v1/` },
    clock,
    secretsSeen: (secret) => seen.push(secret),
    fetch: (input, init) => {
      called.push(String(input));
      return guarded(input, init);
    },
  });
  const model = await models.open('openai:gpt-4.1', 'workspace');
  await expect(model.complete(ask('hello'), new AbortController().signal)).rejects.toEqual(
    failure('refused'),
  );
  expect(seen).toEqual(['sk-test-1']);
  expect(called).toEqual([`${server.url}/v1/chat/completions`]);
  expect(keys).toEqual(['Bearer sk-test-1']);
});

test('knows no price of a model that is not listed', async () => {
  mock.onMessage('hello', { content: 'Hi!' });
  const reply = await complete(ask('hello'), { model: 'openai:our-own-model' });
  expect(reply.costUsd).toBeNull();
  expect(reply.usage).not.toBeNull();
});

async function served(answer: RequestListener) {
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

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
