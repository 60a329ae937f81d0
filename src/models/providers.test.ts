import { LLMock } from '@copilotkit/aimock';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  anthropic,
  ask,
  complete as completeWith,
  failure,
  freePort,
  getWeather,
  google,
  hastyClock,
  ollama,
  openai,
  served,
  setInWorkspace,
  streamed,
} from '../../test/model-server.ts';
import type { ModelRequest } from '../core/ports.ts';
import { createGuardedFetch } from '../net/guarded-fetch.ts';
import { createRedaction } from '../net/redaction.ts';
import type { ModelsOptions } from './models.ts';

// What holds for every provider of models, over real HTTP.

const firstWords = {
  chat: [
    { data: { id: 'c1', choices: [{ index: 0, delta: { role: 'assistant', content: 'The answer' } }] } },
  ],
  messages: [
    {
      event: 'message_start',
      data: {
        type: 'message_start',
        message: { id: 'm1', role: 'assistant', content: [], usage: { input_tokens: 1, output_tokens: 1 } },
      },
    },
    {
      event: 'content_block_start',
      data: { type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'The answer' } },
    },
  ],
  gemini: [{ data: { candidates: [{ content: { role: 'model', parts: [{ text: 'The answer' }] } }] } }],
};

const providers = [
  {
    ...openai,
    usage: { prompt_tokens: 1000, completion_tokens: 500 },
    costUsd: 0.00125,
    path: '/v1/chat/completions',
    unfinished: firstWords.chat,
  },
  {
    ...anthropic,
    usage: { input_tokens: 1000, output_tokens: 500 },
    costUsd: 0.0105,
    path: '/v1/messages',
    unfinished: firstWords.messages,
  },
  {
    ...google,
    usage: { promptTokenCount: 1000, candidatesTokenCount: 500 },
    costUsd: 0.00155,
    path: '/v1beta/models/gemini-2.5-flash:streamGenerateContent',
    unfinished: firstWords.gemini,
  },
  {
    ...ollama,
    usage: { prompt_tokens: 1000, completion_tokens: 500 },
    costUsd: null,
    path: '/v1/chat/completions',
    unfinished: firstWords.chat,
  },
];

const fetch = createGuardedFetch({ allowPrivate: true });

let mock: LLMock;
let clock: ReturnType<typeof hastyClock>;
beforeEach(async () => {
  mock = new LLMock({ port: 0 });
  clock = hastyClock();
  await mock.start();
});
afterEach(() => mock.stop());

describe.each(providers)('$provider', ({ provider, model, at, ...expected }) => {
  const complete = (
    request: ModelRequest,
    more: Partial<ModelsOptions> & {
      url?: string;
      key?: string;
      timeout?: string;
      signal?: AbortSignal;
    } = {},
  ) => {
    const { url = mock.url, key = 'sk-test-1', timeout = '', signal, ...options } = more;
    const { environment, workspaces } = at(url, key);
    const settings = {
      environment: { ...environment, ASSAY_MODEL_TIMEOUT_SECONDS: timeout },
      ...(workspaces === undefined ? {} : { workspaces }),
    };
    return completeWith(model, { clock, fetch, ...settings, ...options }, request, signal);
  };

  test('answers with text, usage, cost and finish', async () => {
    mock.onMessage('hello', { content: 'Hi there!', usage: expected.usage });
    const { costUsd, ...reply } = await complete(ask('hello'));
    expect(reply).toEqual({
      text: 'Hi there!',
      toolCalls: [],
      usage: { inputTokens: 1000, outputTokens: 500 },
      finish: 'stop',
    });
    if (expected.costUsd === null) expect(costUsd).toBeNull();
    else expect(costUsd).toBeCloseTo(expected.costUsd, 10);
  });

  test('puts a reply together that is streamed one character at a time', async () => {
    mock.onMessage('hello', { content: 'Grüße, 世界!' }, { chunkSize: 1 });
    expect((await complete(ask('hello'))).text).toBe('Grüße, 世界!');
    expect(mock.getLastRequest()?.body).toMatchObject({ stream: true });
  });

  test('hands on a tool call with its arguments', async () => {
    mock.onMessage('weather', { toolCalls: [{ name: 'get_weather', arguments: { city: 'Hà Nội' } }] });
    expect(await complete(ask('weather?', { tools: [getWeather] }))).toMatchObject({
      text: '',
      toolCalls: [{ id: expect.stringMatching(/./), name: 'get_weather', args: { city: 'Hà Nội' } }],
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
    const reply = await complete(ask('weather?', { tools: [getWeather] }));
    expect(reply.text).toBe('Let me look.');
    expect(reply.toolCalls).toMatchObject([{ args: { city: 'Paris' } }, { args: { city: 'Rome' } }]);
    expect(new Set(reply.toolCalls.map((call) => call.id)).size).toBe(2);
  });

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
    );
    expect(reply.text).toBe('Sunny.');
    const sent = mock.getLastRequest();
    expect(sent?.path).toContain(expected.path);
    const body = JSON.stringify(sent?.body);
    for (const part of ['Be brief.', 'One moment.', '31 °C', 'no JSON', 'Rome', 'The weather in a city']) {
      expect(body).toContain(part);
    }
  });

  test('asks again when the rate is limited, after the time that the server names', async () => {
    mock.on({ sequenceIndex: 0 }, { error: { message: 'slow down' }, status: 429, retryAfter: 7 });
    mock.on({ sequenceIndex: 1 }, { content: 'Here I am.' });
    expect((await complete(ask('hello'))).text).toBe('Here I am.');
    expect(clock.pauses).toEqual([7000]);
  });

  test('gives up on a limited rate after three attempts', async () => {
    mock.on({}, { error: { message: 'slow down' }, status: 429, retryAfter: 2 });
    await expect(complete(ask('hello'))).rejects.toEqual(
      failure('rate_limited', model, mock.url, 'slow down', '3 attempts', /fewer cases/),
    );
    expect(mock.getRequests()).toHaveLength(3);
    expect(clock.pauses).toEqual([2000, 2000]);
  });

  test('does not wait for a server that asks for minutes', async () => {
    mock.on({}, { error: { message: 'slow down' }, status: 429, retryAfter: 600 });
    await expect(complete(ask('hello'))).rejects.toEqual(failure('rate_limited', 'wait 600 s'));
    expect(mock.getRequests()).toHaveLength(1);
  });

  test.each([500, 503, 529])('tries a server error %d three times, with growing pauses', async (status) => {
    mock.on({}, { error: { message: 'oh no, timed out' }, status });
    await expect(complete(ask('hello'))).rejects.toEqual(
      failure('provider_error', String(status), 'oh no', '3 attempts'),
    );
    expect(clock.pauses).toEqual([500, 1000]);
  });

  test.each([
    [401, 'unauthorized', expected.keySource],
    [403, 'unauthorized', expected.keySource],
    [404, 'unknown_model', expected.urlSource],
    [400, 'refused', 'too long'],
  ])('does not repeat a request that was refused with %d', async (status, code, hint) => {
    mock.on({}, { error: { message: 'too long' }, status });
    await expect(complete(ask('hello'))).rejects.toEqual(
      failure(code, String(status), hint, 'It said: "too long".'),
    );
    expect(mock.getRequests()).toHaveLength(1);
  });

  test('shows no part of the key, though it cuts what the provider said', async () => {
    mock.on({}, { error: { message: `${'.'.repeat(480)} bad key hunter22-key` }, status: 401 });
    const { remember, redactFor } = createRedaction();
    const refused = complete(ask('hello'), {
      key: 'hunter22-key',
      secretSeen: (secret) => remember('workspace', secret),
      redactFor,
    });
    await expect(refused).rejects.toEqual(failure('unauthorized', 'bad key [', /^(?!.*hunter)/s));
  });

  test('ends a request that hangs at the limit, and names the setting', async () => {
    mock.on({}, { content: 'late' }, { chaos: { latencyMs: 20_000 } });
    await expect(complete(ask('hello'), { timeout: '0.2' })).rejects.toEqual(
      failure('timeout', '0.2 s', 'ASSAY_MODEL_TIMEOUT_SECONDS'),
    );
    expect(mock.getRequests().length).toBeLessThanOrEqual(1);
  });

  test('ends a reply that stops arriving at the limit', async () => {
    mock.on({}, { content: 'very late indeed' }, { chunkSize: 1, latency: 3000 });
    await expect(complete(ask('hello'), { timeout: '0.3' })).rejects.toEqual(failure('timeout'));
  });

  test('rejects with the reason of the signal as soon as it aborts, and ends the request', async () => {
    let ended: () => void = () => {};
    const closed = new Promise<void>((resolve) => {
      ended = resolve;
    });
    await using server = await served((request) => request.once('close', ended));
    const cancel = new AbortController();
    const reason = new Error('cancelled by a person');
    const reply = complete(ask('hello'), { url: server.url, signal: cancel.signal });
    setTimeout(() => cancel.abort(reason), 100);
    await expect(reply).rejects.toBe(reason);
    await closed;
  });

  test('does not end other requests with one that is cancelled', async () => {
    mock.on({}, { content: 'Both of us talk.' }, { chunkSize: 2, latency: 40 });
    const { environment, workspaces } = at(mock.url, 'sk-test-1');
    const { createModels } = await import('./models.ts');
    const opened = await createModels({ environment, clock, fetch, ...(workspaces && { workspaces }) }).open(
      model,
      'w',
    );
    const cancel = new AbortController();
    const [cancelled, other] = [cancel.signal, new AbortController().signal].map((signal) =>
      opened.complete(ask('hello'), signal),
    );
    setTimeout(() => cancel.abort(new Error('cancelled')), 100);
    await expect(cancelled).rejects.toThrow('cancelled');
    expect((await other)?.text).toBe('Both of us talk.');
  });

  test('names the address that cannot be reached', async () => {
    const url = `http://127.0.0.1:${await freePort()}`;
    await expect(complete(ask('hello'), { url })).rejects.toEqual(
      failure('unreachable', url, 'ECONNREFUSED', expected.urlSource, '3 attempts'),
    );
  });

  test('says so when the address answers with something else', async () => {
    await using page = await served((_request, response) => response.end('<html>Welcome!</html>'));
    await expect(complete(ask('hello'), { url: page.url })).rejects.toEqual(
      failure('incomplete_reply', page.url, expected.urlSource),
    );
  });

  test('asks again when the connection drops in the middle of a reply', async () => {
    mock.on(
      { sequenceIndex: 0 },
      { content: 'A long answer that will not arrive.' },
      { chunkSize: 2, truncateAfterChunks: 3 },
    );
    mock.on({ sequenceIndex: 1 }, { content: 'Here I am.' });
    expect((await complete(ask('hello'))).text).toBe('Here I am.');
    expect(clock.pauses).toEqual([500]);
  });

  test('does not take a reply without an end for a whole one', async () => {
    await using server = await streamed(expected.unfinished);
    await expect(complete(ask('hello'), { url: server.url })).rejects.toEqual(
      failure('incomplete_reply', server.url, '3 attempts'),
    );
  });

  test('says that a reply was cut at its length', async () => {
    mock.onMessage('hello', { content: 'Once upon', finishReason: 'length' });
    expect(await complete(ask('hello'))).toMatchObject({ text: 'Once upon', finish: 'length' });
  });

  test('does not repeat a call that is not allowed', async () => {
    const fetch = createGuardedFetch({ allowPrivate: false });
    await expect(complete(ask('hello'), { fetch })).rejects.toEqual(
      failure('blocked_address', model, '127.0.0.1'),
    );
    expect(clock.pauses).toEqual([]);
  });

  test('sends the key, and nothing else that the process knows, to the address in the settings', async () => {
    const sent: NodeJS.Dict<string | string[]>[] = [];
    await using server = await served((request, response) => {
      sent.push(request.headers);
      response.writeHead(400).end('{}');
    });
    const seen: string[] = [];
    const called: string[] = [];
    const guarded = createGuardedFetch({ allowPrivate: true });
    process.env.ANTHROPIC_AUTH_TOKEN = 'token of the process';
    process.env.ANTHROPIC_CUSTOM_HEADERS = 'x-gateway: key of the process';
    try {
      const refused = complete(ask('hello'), {
        url: server.url,
        secretSeen: (secret) => seen.push(secret),
        fetch: (input, init) => {
          called.push(String(input));
          return guarded(input, init);
        },
      });
      await expect(refused).rejects.toEqual(failure('refused'));
    } finally {
      delete process.env.ANTHROPIC_AUTH_TOKEN;
      delete process.env.ANTHROPIC_CUSTOM_HEADERS;
    }
    expect(seen).toEqual(['sk-test-1']);
    expect(called.map((address) => new URL(address).pathname)).toEqual([expected.path]);
    expect(sent[0]?.[expected.keyIn]).toMatch(/^(Bearer )?sk-test-1$/);
    expect(JSON.stringify(sent)).not.toContain('of the process');
  });

  test('goes where the settings of the workspace say, with the key in them alone', async () => {
    const keys: unknown[] = [];
    await using server = await served((request, response) => {
      keys.push(request.headers[expected.keyIn]);
      response.writeHead(401).end(JSON.stringify({ error: { message: 'no' } }));
    });
    const { environment } = at(mock.url, 'sk-of-the-server');
    const url = provider === 'openai' ? `${server.url}/v1` : server.url;
    const options = { ...setInWorkspace(provider, url, 'sk-of-the-workspace'), environment, clock };
    await expect(completeWith(model, options, ask('hello'))).rejects.toEqual(
      failure('unauthorized', server.url, `the key of "${provider}" in the settings of the workspace`),
    );
    expect(keys).toEqual([expect.stringMatching(/^(Bearer )?sk-of-the-workspace$/)]);
    expect(mock.getRequests()).toEqual([]);
  });
});

describe.each([openai, ollama])('$provider', ({ model, at }) => {
  test.each(['{"city": "Par', 'Paris', '["Paris"]', '"Paris"'])(
    'keeps the arguments %s as no JSON object',
    async (raw) => {
      mock.onMessage('weather', { toolCalls: [{ name: 'get_weather', arguments: raw }] });
      const options = { ...at(mock.url, 'sk-test-1'), clock };
      const { toolCalls } = await completeWith(model, options, ask('weather?', { tools: [getWeather] }));
      expect(toolCalls).toMatchObject([{ name: 'get_weather', unreadableArgs: raw }]);
    },
  );
});
