import { expect, test } from 'vitest';
import { createRedaction } from '../net/redaction.ts';
import { errorFields, jsonLog } from './log.ts';

test('no line holds a secret, neither in its message nor in any error behind it', () => {
  const lines: string[] = [];
  const { redactAll: redact, remember } = createRedaction();
  remember('workspace', 'nhunter "22"');
  const log = jsonLog({ write: (line) => lines.push(line), now: () => new Date(0), least: 'info', redact });
  const cause = new Error('refused\nnhunter "22"');
  log('warn', 'with nhunter "22"', errorFields(new Error('nhunter "22" failed', { cause })));
  expect(lines).toHaveLength(1);
  expect(lines[0]).not.toContain('hunter');
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    at: '1970-01-01T00:00:00.000Z',
    level: 'warn',
    message: 'with [redacted]',
    error: '[redacted] failed',
    cause: { error: 'refused\n[redacted]' },
  });
});

test('a secret that reads like a field leaves the line readable', () => {
  const lines: string[] = [];
  const { redactAll: redact, rememberOwn } = createRedaction();
  for (const word of ['message', 'status']) rememberOwn(word);
  const log = jsonLog({ write: (line) => lines.push(line), now: () => new Date(0), least: 'info', redact });
  log('info', 'a message', { status: 200, cause: { message: 'status' } });
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    message: 'a [redacted]',
    status: 200,
    cause: { message: '[redacted]' },
  });
});

test.each(['canary', '{"key":canary-77}', `{"a":[${'1,'.repeat(50)}canary]}`])(
  'an error of the parser of JSON tells nothing of its text: %s',
  (text) => {
    const parse = () => JSON.parse(text);
    expect(parse).toThrow(SyntaxError);
    try {
      parse();
    } catch (cause) {
      const told = JSON.stringify(errorFields(new Error('no request', { cause })));
      expect(told).not.toContain('canary');
      expect(told).toContain('a text is not valid JSON');
    }
  },
);
