import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import {
  ask,
  complete as completeWith,
  failure,
  getWeather,
  google,
  hastyClock,
  served,
  streamed,
} from '../../../test/model-server.ts';
import type { ModelMessage, ModelRequest } from '../../core/ports.ts';

const clock = hastyClock();
const complete = (url: string, request: ModelRequest, model = 'google-genai:gemini-3.5-flash') =>
  completeWith(model, { ...google.at(url, 'key-test-1'), clock }, request);

const parts = (given: object[], more: object = {}) => ({
  data: { candidates: [{ content: { role: 'model', parts: given }, ...more }] },
});
const stop = parts([], { finishReason: 'STOP' });

test.each([
  ['STOP', 'stop'],
  ['MAX_TOKENS', 'length'],
  ['SAFETY', 'content_filter'],
  ['PROHIBITED_CONTENT', 'content_filter'],
  ['MALFORMED_FUNCTION_CALL', 'MALFORMED_FUNCTION_CALL'],
])('ends with %s as %s', async (finishReason, finish) => {
  await using server = await streamed([parts([{ text: 'Hi' }], { finishReason })]);
  expect(await complete(server.url, ask('hello'))).toMatchObject({ text: 'Hi', finish });
});

test('says that a filter held the request back', async () => {
  await using server = await streamed([{ data: { promptFeedback: { blockReason: 'SAFETY' } } }]);
  expect(await complete(server.url, ask('hello'))).toMatchObject({ text: '', finish: 'content_filter' });
});

test('takes the last counts of tokens, thoughts and cache included', async () => {
  await using server = await streamed([
    { data: { usageMetadata: { promptTokenCount: 1000, thoughtsTokenCount: 50 } } },
    parts([{ text: 'It is a secret.', thought: true }, { text: 'Hi' }]),
    stop,
    {
      data: {
        usageMetadata: {
          promptTokenCount: 1000,
          cachedContentTokenCount: 400,
          candidatesTokenCount: 100,
          thoughtsTokenCount: 100,
        },
      },
    },
  ]);
  const reply = await complete(server.url, ask('hello'));
  expect(reply).toMatchObject({ text: 'Hi', usage: { inputTokens: 1000, outputTokens: 200 } });
  expect(reply.costUsd).toBeCloseTo((600 * 1.5 + 400 * 0.15 + 200 * 9) / 1_000_000, 12);
});

test('sends a request in the form of the API, with the signatures of its calls to the letter', async () => {
  const bodies: unknown[] = [];
  await using server = await served(async (request, response) => {
    bodies.push(JSON.parse(await text(request)));
    const events = [
      parts([{ text: 'Let me look.' }]),
      parts([
        { functionCall: { name: 'get_weather', args: { city: 'Paris' } }, thoughtSignature: 'sig==' },
        { functionCall: { id: 'own', name: 'get_weather' } },
      ]),
      stop,
    ];
    response.end(events.map(({ data }) => `data: ${JSON.stringify(data)}\r\n\r\n`).join(''));
  });
  const schema = {
    ...getWeather.inputSchema,
    $defs: { city: { type: 'string' } },
    additionalProperties: false,
  };
  const tools = [{ ...getWeather, inputSchema: schema }];
  const first = await complete(server.url, ask('weather?', { tools }));
  expect(first).toMatchObject({
    text: 'Let me look.',
    toolCalls: [
      { id: 'call_1', name: 'get_weather', args: { city: 'Paris' } },
      { id: 'own', name: 'get_weather', args: {} },
    ],
    finish: 'tool_calls',
  });
  const messages: ModelMessage[] = [
    { role: 'user', text: 'hello' },
    { role: 'agent', text: '', toolCalls: [] },
    { role: 'user', text: 'weather?' },
    { role: 'agent', text: first.text, toolCalls: first.toolCalls },
    { role: 'tool', callId: 'call_1', name: 'get_weather', text: '20 °C', isError: false },
    { role: 'tool', callId: 'own', name: 'get_weather', text: 'where?', isError: true },
  ];
  await complete(server.url, ask('', { tools, messages }));
  const result = (id: string, response: object) => ({
    functionResponse: { id, name: 'get_weather', response },
  });
  expect(bodies[1]).toEqual({
    systemInstruction: { parts: [{ text: 'Be brief.' }] },
    contents: [
      { role: 'user', parts: [{ text: 'hello' }] },
      { role: 'user', parts: [{ text: 'weather?' }] },
      {
        role: 'model',
        parts: [
          { text: 'Let me look.' },
          {
            functionCall: { id: 'call_1', name: 'get_weather', args: { city: 'Paris' } },
            thoughtSignature: 'sig==',
          },
          { functionCall: { id: 'own', name: 'get_weather', args: {} } },
        ],
      },
      { role: 'user', parts: [result('call_1', { output: '20 °C' }), result('own', { error: 'where?' })] },
    ],
    tools: [
      {
        functionDeclarations: [
          { name: 'get_weather', description: 'The weather in a city', parametersJsonSchema: schema },
        ],
      },
    ],
  });
});

describe('when it fails', () => {
  test('takes a key that is not valid for what it is', async () => {
    await using server = await served((_request, response) => {
      const details = [{ reason: 'API_KEY_INVALID' }];
      const error = { code: 400, message: 'API key not valid.', status: 'INVALID_ARGUMENT', details };
      response.writeHead(400).end(JSON.stringify({ error }));
    });
    await expect(complete(server.url, ask('hello'))).rejects.toEqual(
      failure('unauthorized', google.keySource, 'API key not valid'),
    );
  });

  test('waits as long as the answer asks for', async () => {
    await using server = await served((_request, response) => {
      const error = { code: 429, message: 'Too many', details: [{}, { retryDelay: '12.5s' }] };
      response.writeHead(429).end(JSON.stringify({ error }));
    });
    clock.pauses.length = 0;
    await expect(complete(server.url, ask('hello'))).rejects.toEqual(failure('rate_limited', 'Too many'));
    expect(clock.pauses).toEqual([12_500, 12_500]);
  });

  test('asks again when the provider breaks its reply off with an error', async () => {
    const error = { code: 503, message: 'The model is overloaded', status: 'UNAVAILABLE' };
    await using server = await streamed([parts([{ text: 'Hi' }]), { data: { error } }]);
    await expect(complete(server.url, ask('hello'))).rejects.toEqual(
      failure('provider_error', '503', 'The model is overloaded', '3 attempts'),
    );
  });

  test.each(['{"candidates": [{', '"text"', '{"candidates": 7}'])(
    'takes nothing from a stream with an event that it cannot read: %s',
    async (event) => {
      await using server = await served((_request, response) => {
        response.end(`data: ${event}\n\ndata: ${JSON.stringify(stop.data)}\n\n`);
      });
      await expect(complete(server.url, ask('hello'))).rejects.toEqual(
        failure('provider_error', server.url, '3 attempts'),
      );
    },
  );
});
