import fc from 'fast-check';
import { expect, test } from 'vitest';
import { quote } from './quote.ts';
import { createRedaction } from './redaction.ts';

const key = `-----BEGIN KEY-----\n${'MIIEvQIBADANBgkqhkiG9w0B\n'.repeat(3)}-----END KEY-----`;

test('wherever a text is cut, no part of a secret is left', () => {
  const { redactAll: redact, rememberOwn } = createRedaction();
  rememberOwn('hunter22-token');
  rememberOwn(key);
  const property = fc.property(
    fc.nat(80),
    fc.nat(120),
    fc.constantFrom('hunter22-token', key),
    (before, limit, secret) => {
      const said = quote(`${'.'.repeat(before)} ${secret} and so on`, limit, redact);
      expect(said).not.toMatch(/hunter|MIIE|KEY/);
      expect(said.length).toBeLessThanOrEqual(limit + 1);
    },
  );
  fc.assert(property);
});

test('a quote is one line, with a mark where more was said', () => {
  const { redactAll: redact } = createRedaction();
  expect(quote(' a\n\tb  c ', 5, redact)).toBe('a b c');
  expect(quote('abcdef', 5, redact)).toBe('abcde…');
});
