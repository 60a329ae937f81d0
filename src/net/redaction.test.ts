import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createRedaction } from './redaction.ts';

const secret = 'p4ss "wörd"/+&\n';

function knowing(...secrets: string[]) {
  const redaction = createRedaction();
  for (const each of secrets) redaction.rememberOwn(each);
  return redaction.redactFor([]);
}

test('a secret disappears from texts and keys of any depth, and from nothing else', () => {
  const redact = knowing('hunter22');
  const value = { a: ['x hunter22 y', { 'key-hunter22': 'hunter22hunter22', b: 1 }], c: null, d: true };
  expect(redact(value)).toEqual({
    a: ['x [redacted] y', { 'key-[redacted]': '[redacted][redacted]', b: 1 }],
    c: null,
    d: true,
  });
});

test.each([
  ['itself', secret],
  ['escaped in JSON', JSON.stringify({ a: secret })],
  ['escaped twice', JSON.stringify({ a: JSON.stringify({ b: secret }) })],
  ['URL-encoded', `https://x/?key=${encodeURIComponent(secret)}&a=1`],
  ['URL-encoded in small letters', encodeURIComponent(secret).replace(/%../g, (code) => code.toLowerCase())],
  ['form-encoded', encodeURIComponent(secret).replaceAll('%20', '+')],
  ['base64', Buffer.from(secret).toString('base64')],
  ['base64url', Buffer.from(secret).toString('base64url')],
])('a secret is recognised %s', (_form, text) => {
  const result = knowing(secret)(text);
  expect(result).toContain('[redacted]');
  for (const trace of ['p4ss', 'w%C3%B6rd', 'cDRzcy', 'd8O2cmQ']) expect(result).not.toContain(trace);
});

test.each([0, 1, 2, 3])('a secret is recognised inside a longer base64 text, %i bytes in', (before) => {
  const encoded = Buffer.from(`${'u'.repeat(before)}hunter22-secret:rest`).toString('base64');
  const result = knowing('hunter22-secret')(encoded);
  expect(result).toContain('[redacted]');
  expect(Buffer.from(result.replace('[redacted]', ''), 'base64').toString()).not.toContain('hunter22');
});

test.each([
  ['Bearer sk-12345678', 'sk-12345678'],
  [`Basic ${Buffer.from('user:hunter22').toString('base64')}`, 'hunter22'],
  ['postgres://me:hunter%2022@db/x', 'hunter%2022'],
  ['postgres://me:hunter%2022@db/x', 'hunter 22'],
])('the credential inside "%s" is a secret by itself', (whole, part) => {
  expect(knowing(whole)(`it is ${part}.`)).toBe('it is [redacted].');
});

describe('a secret of several lines', () => {
  const lines = [
    '-----BEGIN PRIVATE KEY-----',
    'MIIEvQIBADANBgkqhkiG9w0BAQEFAASC',
    'BKcwggSjAgEAAoIBAQ==',
    'x}',
  ];
  const redact = knowing(lines.join('\n'));

  test.each([
    ['the last lines alone', lines.slice(2).join('\n'), '[redacted]\nx}'],
    ['lines that end in another way', lines.join('\r\n'), '[redacted]\r\n[redacted]\r\n[redacted]\r\nx}'],
    ['lines behind a mark', `> ${lines[1]}`, '> [redacted]'],
    ['all on one line', lines.join(' '), '[redacted]'],
    ['one line in base64', Buffer.from(lines[1] ?? '').toString('base64'), '[redacted]'],
  ])('is recognised by %s', (_how, text, result) => {
    expect(redact(text)).toBe(result);
  });

  test('whose lines are short words leaves those words alone', () => {
    expect(knowing('{\n  "a": 1,\n  true\n}')('true, and "a": 1')).toBe('true, and "a": 1');
  });
});

test('short values and ordinary words beside an authorization scheme stay', () => {
  const redact = knowing('true', 'Europe Berlin');
  expect(redact('true, Berlin')).toBe('true, Berlin');
});

test('overlapping secrets leave no end of either', () => {
  expect(knowing('abcdefgh', 'efghijklm')('-abcdefghijklm-')).toBe('-[redacted]-');
});

test('two keys that hold secrets stay two entries', () => {
  expect(knowing('secret-one', 'secret-two')({ 'secret-one': 1, 'secret-two': 2 })).toEqual({
    '[redacted]': 1,
    '[redacted] (2)': 2,
  });
});

test('a value without secrets is returned as the same value', () => {
  const value = { a: [{ b: 'text' }], ['__proto__']: 'own' };
  expect(createRedaction().redactAll(value)).toBe(value);
  expect(knowing('hunter22')(value)).toBe(value);
});

test('whatever the secrets and the text around them, no secret remains', () => {
  const secrets = fc.array(fc.string({ minLength: 6, maxLength: 20 }), { minLength: 1, maxLength: 8 });
  const property = fc.property(secrets, fc.array(fc.string()), fc.nat(), (known, around, seed) => {
    const text = around.map((part, at) => part + known[(seed + at) % known.length]).join('');
    const result = knowing(...known)(text);
    const rest = result.split('[redacted]');
    for (const each of known) expect(rest.some((part) => part.includes(each))).toBe(false);
  });
  fc.assert(property, { numRuns: 500 });
});

test('a secret of a workspace is one where that workspace is at work and in logs, and nowhere else', () => {
  const redaction = createRedaction();
  const [one, two, both] = [['one'], ['two'], ['one', 'two']].map(redaction.redactFor);
  redaction.remember('one', 'secret-one');
  redaction.remember('two', 'secret-two');
  redaction.rememberOwn('secret-own');
  const text = 'secret-one secret-two secret-own';
  expect(one?.(text)).toBe('[redacted] secret-two [redacted]');
  expect(two?.(text)).toBe('secret-one [redacted] [redacted]');
  for (const redact of [both, redaction.redactAll]) {
    expect(redact?.(text)).toBe('[redacted] [redacted] [redacted]');
  }
  expect(redaction.redactFor([])(text)).toBe('secret-one secret-two [redacted]');
  redaction.remember('three', 'secret-late');
  expect(redaction.redactAll('secret-late')).toBe('[redacted]');
  redaction.remember('one', 'secret-late');
  expect(one?.('secret-late')).toBe('[redacted]');
});

test('a workspace with many secrets pushes out none of another one', () => {
  const redaction = createRedaction(2);
  redaction.remember('one', 'secret-one');
  for (let count = 0; count < 5; count++) redaction.remember('two', `secret-two-${count}`);
  expect(redaction.redactFor(['one'])('secret-one')).toBe('[redacted]');
});

describe('limits', () => {
  test('the number of secrets is bounded; what was named again lately stays', () => {
    const redaction = createRedaction(2);
    for (const each of ['secret-one', 'secret-two', 'secret-one', 'secret-three'])
      redaction.rememberOwn(each);
    expect(redaction.redactFor([])('secret-one secret-two secret-three')).toBe(
      '[redacted] secret-two [redacted]',
    );
  });

  test('a thousand secrets cost about as much as one', () => {
    const text = 'the quick brown fox jumps over the lazy dog '.repeat(25_000);
    const cost = (count: number) => {
      const redact = knowing(...Array.from({ length: count }, (_, index) => `secret-number-${index}-x`));
      redact('so that the index is built');
      const runs = Array.from({ length: 5 }, () => {
        const start = process.cpuUsage();
        expect(redact(text)).toBe(text);
        return process.cpuUsage(start).user;
      });
      return Math.min(...runs);
    };
    expect(cost(1_000)).toBeLessThan(10 * cost(1));
  });
});
