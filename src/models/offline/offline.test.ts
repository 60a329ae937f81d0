import { describe, expect, test } from 'vitest';
import { readableCalls } from '../../../test/readable-calls.ts';
import type { JsonObject } from '../../core/json.ts';
import type { ModelMessage, ModelRequest, ModelTool } from '../../core/ports.ts';
import { offlineModel } from './offline.ts';

function tool(
  name: string,
  description: string,
  properties: JsonObject = {},
  required = Object.keys(properties),
): ModelTool {
  return { name, description, inputSchema: { type: 'object', properties, required } };
}
const text = { type: 'string' };

const shop = [
  tool('create_order', 'Creates an order for a customer', {
    customer: text,
    item: text,
    count: { type: 'integer', default: 1 },
  }),
  tool('get_order', 'One order by its id', { order_id: text }),
  tool(
    'list_orders',
    'Orders of the shop',
    { limit: { type: 'integer' }, status: { enum: ['open', 'shipped'] } },
    [],
  ),
  tool('cancel_order', 'Cancels an order', { orderId: text, notify: { type: 'boolean' } }, ['orderId']),
  tool('tag', 'Marks something', { type: text, orderType: text }),
  tool('set_address', 'Stores where a customer lives', {
    customer: text,
    address: { $ref: '#/$defs/address' },
  }),
];
(shop[5] as ModelTool).inputSchema.$defs = {
  address: {
    type: 'object',
    properties: { street: text, zip: { anyOf: [{ type: 'string' }, { type: 'null' }] } },
    required: ['street'],
  },
};

type Answers = Record<string, string | Error>;

/** Holds a conversation; `answers` are what the tools return, by name. */
async function converse(
  said: string | ModelMessage[],
  answers: Answers = {},
  more: Partial<ModelRequest> = {},
) {
  const messages: ModelMessage[] = typeof said === 'string' ? [{ role: 'user', text: said }] : [...said];
  const calls: [string, unknown][][] = [];
  for (;;) {
    const request = { system: '', messages, tools: shop, ...more };
    const reply = await offlineModel.complete(request, new AbortController().signal);
    messages.push({ role: 'agent', text: reply.text, toolCalls: reply.toolCalls });
    if (reply.toolCalls.length === 0) return { calls, answer: reply.text, messages };
    calls.push(readableCalls(reply.toolCalls).map(({ name, args }) => [name, args]));
    for (const { id, name } of reply.toolCalls) {
      const answer = answers[name] ?? `${name} returned`;
      const isError = answer instanceof Error;
      messages.push({ role: 'tool', callId: id, name, text: isError ? answer.message : answer, isError });
    }
  }
}

describe('arguments', () => {
  const cases: [string, string, JsonObject][] = [
    [
      'Create an order for customer "Ann" with item "tea" and count 3',
      'create_order',
      { customer: 'Ann', item: 'tea', count: 3 },
    ],
    [
      'Create an order: customer = Ann, item: green tea',
      'create_order',
      { customer: 'Ann', item: 'green tea', count: 1 },
    ],
    ['create_order customer=Ann item=“tea”', 'create_order', { customer: 'Ann', item: 'tea', count: 1 }],
    ["Create the order 'Ann' 'tea'", 'create_order', { customer: 'Ann', item: 'tea', count: 1 }],
    ['Get the order "o-1"', 'get_order', { order_id: 'o-1' }],
    ['Tag with order type "gift" and type "box"', 'tag', { type: 'box', orderType: 'gift' }],
    ['Get order 17', 'get_order', { order_id: '17' }],
    ['Get order 007', 'get_order', { order_id: '007' }],
    ['List the last 5 shipped orders', 'list_orders', { limit: 5, status: 'shipped' }],
    ['List orders', 'list_orders', {}],
    ['Cancel order o-1 without notify', 'cancel_order', { orderId: 'o-1', notify: false }],
    ['Cancel order o-1, notify: true', 'cancel_order', { orderId: 'o-1', notify: true }],
    [
      'Set the address of customer "Ann" to street "Hill Road 1" and zip 01234',
      'set_address',
      { customer: 'Ann', address: { street: 'Hill Road 1', zip: '01234' } },
    ],
    [
      'Set the address of customer "Ann" to {"street": "Hill, then Road", "zip": null}',
      'set_address',
      { customer: 'Ann', address: { street: 'Hill, then Road', zip: null } },
    ],
    [
      'Get the order "say \\"hi\\", then list orders"',
      'get_order',
      { order_id: 'say "hi", then list orders' },
    ],
  ];
  test.each(cases)('%s', async (request, name, args) => {
    expect((await converse(request)).calls).toEqual([[[name, args]]]);
  });

  test('what a request does not give is left out', async () => {
    expect((await converse('Create an order')).calls).toEqual([[['create_order', { count: 1 }]]]);
  });
});

describe('several things at once', () => {
  test('"then" puts calls in order, one to a message', async () => {
    const { calls } = await converse('List orders, then get order "a" and then cancel order "b"');
    expect(calls.map((message) => message.map(([name]) => name))).toEqual([
      ['list_orders'],
      ['get_order'],
      ['cancel_order'],
    ]);
  });

  test('sentences and lines put calls in order too', async () => {
    const { calls } = await converse('Hello! I need help.\n1. List orders.\n2. Get order "a"');
    expect(calls.map((message) => message.map(([name]) => name))).toEqual([['list_orders'], ['get_order']]);
  });

  test('"and" makes independent calls together', async () => {
    const { calls } = await converse('Get order "a" and list orders');
    expect(calls).toEqual([
      [
        ['get_order', { order_id: 'a' }],
        ['list_orders', {}],
      ],
    ]);
  });

  test('"and" before a property goes on with the same call, even where a tool has that name', async () => {
    const tools = [
      tool('create_note', 'Creates a note', { title: text, report: text }),
      tool('report', 'Reports', { topic: text }),
    ];
    const { calls } = await converse('Create a note with title "a" and report "b"', {}, { tools });
    expect(calls).toEqual([[['create_note', { title: 'a', report: 'b' }]]]);
  });

  test('a list of values makes a call for each', async () => {
    const { calls } = await converse('Get the orders "a", "b" and "c"');
    expect(calls).toEqual([['a', 'b', 'c'].map((order_id) => ['get_order', { order_id }])]);
  });

  test('what points back waits, and takes its value from the call before', async () => {
    const { calls } = await converse('Get order "a" and cancel it');
    expect(calls).toEqual([[['get_order', { order_id: 'a' }]], [['cancel_order', { orderId: 'a' }]]]);
  });

  test('a missing id is taken from the result before', async () => {
    const { calls } = await converse(
      'Create an order for customer "Ann" with item "tea", then get the order',
      {
        create_order: '{"order": {"id": "o-9", "item": "tea"}}',
      },
    );
    expect(calls.at(-1)).toEqual([['get_order', { order_id: 'o-9' }]]);
  });

  test('every message of the user is answered by its own calls', async () => {
    const first = await converse('List orders');
    const { calls, answer } = await converse([...first.messages, { role: 'user', text: 'Get order "a"' }]);
    expect(calls).toEqual([[['get_order', { order_id: 'a' }]]]);
    expect(answer).toBe('get_order returned');
  });
});

describe('answers', () => {
  test('are what the tools returned', async () => {
    const { answer } = await converse('List orders, then get order "a"', {
      list_orders: ' 2 orders\n',
      get_order: 'tea',
    });
    expect(answer).toBe('2 orders\n\ntea');
  });

  test('say which tool failed, and go on with the rest', async () => {
    const { answer } = await converse('Get order "a", then list orders', {
      get_order: new Error('no such order'),
    });
    expect(answer).toBe('get_order failed: no such order\n\nlist_orders returned');
  });

  test('say that the tools returned nothing', async () => {
    expect((await converse('List orders', { list_orders: ' ' })).answer).toBe('The tools returned nothing.');
  });

  test.each([
    'Hello!',
    'Thank you.',
    'What is love?',
    'Do not list orders',
    "Don't cancel order a",
    '',
    '"list orders"',
  ])('call nothing for: %s', async (request) => {
    expect(await converse(request)).toMatchObject({
      calls: [],
      answer: 'None of my tools fits this request.',
    });
  });

  test('say that there are no tools', async () => {
    const { calls, answer } = await converse('List orders', {}, { tools: [] });
    expect({ calls, answer }).toEqual({ calls: [], answer: 'I have no tools to do this with.' });
  });
});

describe('skills', () => {
  const loading = {
    tools: [
      ...shop,
      tool('take_up', 'Loads instructions', {
        which: { type: 'string', enum: ['refunds', 'gift-wrap', 'order-review'] },
      }),
    ],
    system: [
      'You run a shop.',
      '- refunds: How to pay money back',
      '- gift-wrap: How to wrap a present in paper',
      '- order-review: How to review an order of a customer',
    ].join('\n'),
  };
  const loads = (name: string) => [['take_up', { which: name }]];

  test('one that shares words with the request is loaded first', async () => {
    const { calls, answer } = await converse(
      'List orders and wrap the present',
      { take_up: 'Use paper.' },
      loading,
    );
    expect(calls).toEqual([loads('gift-wrap'), [['list_orders', {}]]]);
    expect(answer).toBe('list_orders returned');
  });

  test('one that the request names is loaded', async () => {
    expect((await converse('Use the skill "gift-wrap".', {}, loading)).calls).toEqual([loads('gift-wrap')]);
  });

  test('one that shares a single word is not', async () => {
    expect((await converse('List orders', {}, loading)).calls).toEqual([[['list_orders', {}]]]);
  });

  test('one that is loaded is not loaded again', async () => {
    const first = await converse('Use gift wrap', {}, loading);
    const second = await converse(
      [...first.messages, { role: 'user', text: 'Use gift wrap, then list orders' }],
      {},
      loading,
    );
    expect(second.calls).toEqual([[['list_orders', {}]]]);
  });

  test('a tool whose choices the system text does not explain is a tool like any other', async () => {
    const { calls } = await converse('Take up the refunds', {}, { tools: loading.tools });
    expect(calls).toEqual([loads('refunds')]);
  });
});

test('it costs nothing, uses no tokens, and stops when it is told to', async () => {
  const request = { system: '', messages: [{ role: 'user' as const, text: 'List orders' }], tools: shop };
  expect(await offlineModel.complete(request, new AbortController().signal)).toEqual({
    text: '',
    toolCalls: [{ id: 'call_1', name: 'list_orders', args: {} }],
    usage: { inputTokens: 0, outputTokens: 0 },
    costUsd: 0,
    finish: 'tool_calls',
  });
  const reason = new Error('cancelled');
  await expect(offlineModel.complete(request, AbortSignal.abort(reason))).rejects.toBe(reason);
});
