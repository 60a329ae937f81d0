import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import {
  anthropic,
  ask,
  complete as completeWith,
  failure,
  getWeather,
  hastyClock,
  served,
} from '../../../test/model-server.ts';
import type { ModelMessage, ModelRequest } from '../../core/ports.ts';

type Block = { type: string; id?: string; name?: string; text?: string; thinking?: string };

/** The events of one reply: blocks with their deltas, and how it ends. */
function reply(blocks: { start: Block; deltas?: object[] }[], stopReason = 'tool_use', outputTokens = 40) {
  const usage = { input_tokens: 100, cache_read_input_tokens: 20, output_tokens: 3 };
  return [
    { type: 'message_start', message: { id: 'm1', role: 'assistant', content: [], usage } },
    ...blocks.flatMap(({ start, deltas = [] }, index) => [
      { type: 'content_block_start', index, content_block: start },
      ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
      { type: 'content_block_stop', index },
    ]),
    {
      type: 'message_delta',
      delta: { stop_reason: stopReason },
      usage: { output_tokens: outputTokens },
    },
    { type: 'message_stop' },
  ];
}

const call = (id: string, json: string) => ({
  start: { type: 'tool_use', id, name: 'get_weather', input: {} },
  deltas: [{ type: 'input_json_delta', partial_json: json }],
});

/** A server that answers with these events, and keeps the bodies that it was sent. */
async function answering(events: { type: string }[]) {
  const bodies: { messages: { role: string; content: unknown }[] }[] = [];
  const server = await served(async (request, response) => {
    bodies.push(JSON.parse(await text(request)));
    response.setHeader('content-type', 'text/event-stream');
    for (const event of events) {
      response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
    }
    response.end();
  });
  return Object.assign(server, { bodies });
}

const complete = (url: string, request: ModelRequest, model = 'anthropic:claude-sonnet-5-5') =>
  completeWith(model, { ...anthropic.at(url, 'sk-test-1'), clock: hastyClock() }, request);

test('counts the tokens of a reply once', async () => {
  await using server = await answering(reply([{ start: { type: 'text', text: 'Hi!' } }], 'end_turn'));
  const { usage, costUsd } = await complete(server.url, ask('hello'));
  expect(usage).toEqual({ inputTokens: 120, outputTokens: 40 });
  expect(costUsd).toBeCloseTo((100 * 2 + 20 * 0.1 + 40 * 10) / 1_000_000, 12);
});

test.each([
  ['end_turn', 'stop'],
  ['stop_sequence', 'stop'],
  ['max_tokens', 'length'],
  ['refusal', 'content_filter'],
  ['model_context_window_exceeded', 'model_context_window_exceeded'],
])('ends with %s as %s', async (stopReason, finish) => {
  await using server = await answering(reply([{ start: { type: 'text', text: 'Hi' } }], stopReason));
  expect((await complete(server.url, ask('hello'))).finish).toBe(finish);
});

test.each(['{"city": "Par', 'Paris', '["Paris"]'])(
  'keeps the arguments %s as no JSON object',
  async (json) => {
    await using server = await answering(reply([call('a', json)]));
    const { toolCalls } = await complete(server.url, ask('weather?', { tools: [getWeather] }));
    expect(toolCalls).toEqual([{ id: 'a', name: 'get_weather', unreadableArgs: json }]);
  },
);

test('asks again when the provider breaks its reply off with an error', async () => {
  const error = { type: 'overloaded_error', message: 'Overloaded' };
  await using server = await answering([Object.assign({ type: 'error' }, { error })]);
  await expect(complete(server.url, ask('hello'))).rejects.toEqual(
    failure('provider_error', server.url, 'Overloaded', '3 attempts'),
  );
});

test('refuses a tool that the API would not take, and does not leave it out', async () => {
  await using server = await answering([]);
  const inputSchema = { type: 'object', anyOf: [{ required: ['city'] }, { required: ['zip'] }] };
  await expect(
    complete(server.url, ask('weather?', { tools: [{ ...getWeather, inputSchema }] })),
  ).rejects.toEqual(failure('tool_refused', '"get_weather"', 'anyOf', 'claude-sonnet-5-5'));
  expect(server.bodies).toEqual([]);
});

test('says which results are errors, and sends no empty message', async () => {
  await using server = await answering(reply([{ start: { type: 'text', text: 'Hi' } }], 'end_turn'));
  const messages: ModelMessage[] = [
    { role: 'user', text: 'hello' },
    { role: 'agent', text: '', toolCalls: [] },
    { role: 'user', text: 'weather?' },
    {
      role: 'agent',
      text: '',
      toolCalls: [
        { id: 'a', name: 'get_weather', args: { city: 'Rome' } },
        { id: 'b', name: 'get_weather', unreadableArgs: '{' },
      ],
    },
    { role: 'tool', callId: 'a', name: 'get_weather', text: '31 °C', isError: false },
    { role: 'tool', callId: 'b', name: 'get_weather', text: 'no JSON', isError: true },
    { role: 'user', text: 'and?' },
  ];
  await complete(server.url, ask('', { tools: [getWeather], messages }));
  expect(server.bodies[0]?.messages.slice(2)).toEqual([
    {
      role: 'assistant',
      content: [
        { type: 'tool_use', id: 'a', name: 'get_weather', input: { city: 'Rome' } },
        { type: 'tool_use', id: 'b', name: 'get_weather', input: { invalidJson: '{' } },
      ],
    },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'a', content: '31 °C', is_error: false },
        { type: 'tool_result', tool_use_id: 'b', content: 'no JSON', is_error: true },
      ],
    },
    { role: 'user', content: 'and?' },
  ]);
  expect(JSON.stringify(server.bodies[0]?.messages.slice(0, 2))).not.toContain('assistant');
});

describe('a model that thinks', () => {
  const thought = (words: string, signature: string) => ({
    start: { type: 'thinking', thinking: '', signature: '' },
    deltas: [
      { type: 'thinking_delta', thinking: words },
      { type: 'signature_delta', signature },
    ],
  });
  const events = reply([
    thought('Two cities.', 'sig-1'),
    { start: { type: 'text', text: '' }, deltas: [{ type: 'text_delta', text: 'Let me look.' }] },
    call('a', '{"city":"Paris"}'),
    { start: { type: 'redacted_thinking', data: 'sealed' } as Block },
    call('b', '{"city":'),
  ]);

  test('says nothing of it to the user', async () => {
    await using server = await answering(
      reply([thought('Hm.', 'sig'), { start: { type: 'text', text: 'Hi' } }], 'end_turn'),
    );
    expect((await complete(server.url, ask('hello'))).text).toBe('Hi');
  });

  test('gets its thoughts back with the calls, in their order and to the letter', async () => {
    await using server = await answering(events);
    const first = await complete(server.url, ask('weather?', { tools: [getWeather] }));
    expect(first.text).toBe('Let me look.');
    expect(first.toolCalls).toMatchObject([
      { id: 'a', args: { city: 'Paris' } },
      { id: 'b', unreadableArgs: '{"city":' },
    ]);
    const messages: ModelMessage[] = [
      { role: 'user', text: 'weather?' },
      { role: 'agent', text: first.text, toolCalls: first.toolCalls },
      { role: 'tool', callId: 'a', name: 'get_weather', text: '20 °C', isError: false },
      { role: 'tool', callId: 'b', name: 'get_weather', text: 'no JSON', isError: true },
    ];
    await complete(server.url, ask('', { tools: [getWeather], messages }));
    expect(server.bodies[1]?.messages[1]).toEqual({
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'Two cities.', signature: 'sig-1' },
        { type: 'text', text: 'Let me look.' },
        { type: 'tool_use', id: 'a', name: 'get_weather', input: { city: 'Paris' } },
        { type: 'redacted_thinking', data: 'sealed' },
        { type: 'tool_use', id: 'b', name: 'get_weather', input: { invalidJson: '{"city":' } },
      ],
    });
  });
});
