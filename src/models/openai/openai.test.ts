import { LLMock } from '@copilotkit/aimock';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  ask,
  complete as completeWith,
  failure,
  getWeather,
  hastyClock,
  openai,
  streamed,
} from '../../../test/model-server.ts';
import type { ModelRequest } from '../../core/ports.ts';

let mock: LLMock;
let clock: ReturnType<typeof hastyClock>;
beforeEach(async () => {
  mock = new LLMock({ port: 0 });
  clock = hastyClock();
  await mock.start();
});
afterEach(() => mock.stop());

function complete(request: ModelRequest, { url = mock.url, model = openai.model, api = '' } = {}) {
  const environment = { ...openai.at(url, 'sk-test-1').environment, OPENAI_API: api };
  return completeWith(model, { environment, clock }, request);
}

describe('through the Responses API', () => {
  const api = 'responses';

  test('answers with text, usage, cost and finish', async () => {
    mock.onMessage('hello', { content: 'Hi there!', usage: { input_tokens: 1000, output_tokens: 500 } });
    expect(await complete(ask('hello'), { api })).toEqual({
      text: 'Hi there!',
      toolCalls: [],
      usage: { inputTokens: 1000, outputTokens: 500 },
      costUsd: 0.00125,
      finish: 'stop',
    });
    expect(mock.getLastRequest()?.path).toBe('/v1/responses');
  });

  test('hands on parallel tool calls in their order, each with an id of its own', async () => {
    mock.onMessage('weather', {
      content: 'Let me look.',
      toolCalls: [
        { name: 'get_weather', arguments: { city: 'Paris' }, id: 'same' },
        { name: 'get_weather', arguments: { city: 'Rome' }, id: 'same' },
      ],
    });
    const reply = await complete(ask('weather?', { tools: [getWeather] }), { api });
    expect(reply.text).toBe('Let me look.');
    expect(reply.toolCalls).toMatchObject([{ args: { city: 'Paris' } }, { args: { city: 'Rome' } }]);
    expect(new Set(reply.toolCalls.map((call) => call.id)).size).toBe(2);
  });

  test('keeps arguments as they are where they are no JSON object', async () => {
    mock.onMessage('weather', { toolCalls: [{ name: 'get_weather', arguments: '{"city": "Par' }] });
    const { toolCalls } = await complete(ask('weather?', { tools: [getWeather] }), { api });
    expect(toolCalls).toMatchObject([{ name: 'get_weather', unreadableArgs: '{"city": "Par' }]);
  });

  test('sends the calls and results before', async () => {
    mock.on({ hasToolResult: true }, { content: 'Sunny.' });
    const messages: ModelRequest['messages'] = [
      { role: 'user', text: 'weather?' },
      { role: 'agent', text: '', toolCalls: [{ id: 'c1', name: 'get_weather', args: { city: 'Rome' } }] },
      { role: 'tool', callId: 'c1', name: 'get_weather', text: '31 °C', isError: false },
    ];
    expect((await complete(ask('', { tools: [getWeather], messages }), { api })).text).toBe('Sunny.');
    const body = JSON.stringify(mock.getLastRequest()?.body);
    for (const part of ['Be brief.', 'Rome', '31 °C', 'c1']) expect(body).toContain(part);
  });

  test('asks again when the connection drops in the middle of a reply', async () => {
    mock.on(
      { sequenceIndex: 0 },
      { content: 'A long answer that will not arrive.' },
      { chunkSize: 2, truncateAfterChunks: 3 },
    );
    mock.on({ sequenceIndex: 1 }, { content: 'Here I am.' });
    expect((await complete(ask('hello'), { api })).text).toBe('Here I am.');
    expect(clock.pauses).toEqual([500]);
  });

  test('says that a reply was cut at its length', async () => {
    const incomplete = {
      status: 'incomplete',
      output: [],
      incomplete_details: { reason: 'max_output_tokens' },
    };
    const data = { type: 'response.incomplete', response: { id: 'r1', ...incomplete } };
    await using server = await streamed([{ event: 'response.incomplete', data }]);
    expect(await complete(ask('hello'), { api, url: server.url })).toMatchObject({
      text: '',
      finish: 'length',
      usage: null,
    });
  });
});

test('does not ask again when the account has run out', async () => {
  mock.on({}, { error: { message: 'You exceeded your quota', code: 'insufficient_quota' }, status: 429 });
  await expect(complete(ask('hello'))).rejects.toEqual(failure('quota_exhausted', 'OPENAI_API_KEY'));
  expect(mock.getRequests()).toHaveLength(1);
});

test('asks again when the provider breaks its reply off with an error', async () => {
  const error = { message: 'The server had an error', type: 'server_error' };
  await using server = await streamed([{ data: { error } }]);
  await expect(complete(ask('hello'), { url: server.url })).rejects.toEqual(
    failure('provider_error', server.url, 'The server had an error', '3 attempts'),
  );
});

test('says that a filter held a reply back', async () => {
  mock.onMessage('hello', { content: '', finishReason: 'content_filter' });
  expect(await complete(ask('hello'))).toMatchObject({ finish: 'content_filter' });
});

test('knows no price of a model that is not listed', async () => {
  mock.onMessage('hello', { content: 'Hi!' });
  const reply = await complete(ask('hello'), { model: 'openai:our-own-model' });
  expect(reply.costUsd).toBeNull();
  expect(reply.usage).not.toBeNull();
});
