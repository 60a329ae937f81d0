import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readMessages } from './message-lines.ts';

function reading(chunks: Buffer[], maxBytes = 1_000_000) {
  const messages: JSONRPCMessage[] = [];
  const noise: string[] = [];
  const read = readMessages(
    { message: (each) => messages.push(each), noise: (line) => noise.push(line) },
    maxBytes,
  );
  for (const chunk of chunks) read(chunk);
  return { messages, noise };
}

const response = (id: number, text: string) => ({ jsonrpc: '2.0' as const, id, result: { text } });

test('messages arrive whole and in order, wherever the chunks are cut', () => {
  const property = fc.property(
    fc.array(fc.string({ unit: 'binary' }), { minLength: 1, maxLength: 5 }),
    fc.array(fc.nat({ max: 400 }), { maxLength: 30 }),
    (texts, cuts) => {
      const sent = texts.map((text, id) => response(id, text.toWellFormed()));
      const bytes = Buffer.from(sent.map((each) => `${JSON.stringify(each)}\r\n`).join(''));
      const places = [0, ...cuts.map((cut) => cut % bytes.length).sort((a, b) => a - b), bytes.length];
      const chunks = places.slice(1).map((end, index) => bytes.subarray(places[index], end));
      expect(reading(chunks)).toEqual({ messages: sent, noise: [] });
    },
  );
  fc.assert(property);
});

test('a broken request of the server is not taken for an answer', () => {
  const line = '{"jsonrpc":"2.0","id":1,"method":"sampling/createMessage","params":{"a":"\u0000"}}';
  expect(reading([Buffer.from(`${line}\n`)])).toEqual({ messages: [], noise: [line] });
});

test('banners and other lines that are no messages are noise', () => {
  const lines = ['Server started', '', '{"level":"info","id":5}', '[1,2]', JSON.stringify(response(1, 'a'))];
  expect(reading([Buffer.from(`${lines.join('\n')}\n`)])).toEqual({
    messages: [response(1, 'a')],
    noise: ['Server started', '{"level":"info","id":5}', '[1,2]'],
  });
});

test('noise is handed on whole, so that a secret in it is recognised; a line beyond reason is only counted', () => {
  const long = `token ${'x'.repeat(600)}`;
  expect(reading([Buffer.from(`${long}\n`)]).noise).toEqual([long]);
  expect(reading([Buffer.from(`${long}\n`)], 500).noise).toEqual(['(a line larger than 500 bytes)']);
});

test('the error of an answer repeats no part of it', () => {
  const { messages } = reading([Buffer.from('{"jsonrpc":"2.0","id":1,"result":{"key":hunter22}}\n')]);
  expect(messages).toHaveLength(1);
  expect(JSON.stringify(messages)).not.toContain('hunter');
});

describe('an answer that cannot be read is an error of the request it answers', () => {
  const broken = [
    ['with the id at its beginning', '{"jsonrpc":"2.0","id":12,"result":{"text":"a\u0000b"}}'],
    ['with the id first of all', '{ "id": 12, "jsonrpc": "2.0", "result": {"text": "a\u0000b"} }'],
    ['with the id at its end', '{"result":{"text":"a\u0000b"},"jsonrpc":"2.0","id":12}'],
    ['with the version at its end', '{"result":{"text":"a\u0000b"},"id":12,"jsonrpc":"2.0"}'],
    ['that stops in the middle', '{"jsonrpc":"2.0","id":12,"result":{"te'],
  ];
  test.each(broken)('%s', (_where, line) => {
    const { messages, noise } = reading([Buffer.from(`${line}\n${JSON.stringify(response(13, 'next'))}\n`)]);
    expect(messages).toEqual([
      { jsonrpc: '2.0', id: 12, error: { code: -32700, message: expect.stringContaining('not valid JSON') } },
      response(13, 'next'),
    ]);
    expect(noise).toEqual([]);
  });

  test.each([
    ['at its beginning', (text: string) => `{"jsonrpc":"2.0","id":7,"result":{"text":"${text}"}}`],
    ['at its end', (text: string) => `{"result":{"text":"${text}"},"jsonrpc":"2.0","id":7}`],
  ])('that is too long, with the id %s, read in chunks', (_where, line) => {
    const bytes = Buffer.from(`${line('x'.repeat(5_000))}\n${JSON.stringify(response(8, 'next'))}\n`);
    const chunks = Array.from({ length: Math.ceil(bytes.length / 700) }, (_, at) =>
      bytes.subarray(at * 700, at * 700 + 700),
    );
    expect(reading(chunks, 1_000).messages).toEqual([
      {
        jsonrpc: '2.0',
        id: 7,
        error: { code: -32700, message: expect.stringContaining('larger than 1000 bytes') },
      },
      response(8, 'next'),
    ]);
  });
});
