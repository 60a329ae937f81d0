import { expect, test } from 'vitest';
import { ownSecrets } from './own-secrets.ts';
import { createRedaction } from './redaction.ts';

function shown(text: string, environment: Record<string, string>): string {
  const { redactAll, rememberOwn } = createRedaction();
  for (const secret of ownSecrets(environment)) rememberOwn(secret);
  return redactAll(text);
}

test.each([
  ['ASSAY_SECRET_KEY', 'canary-key-one,canary-key-two', 'canary-key-two'],
  ['OPENAI_API_KEY', 'sk-canary', 'sk-canary'],
  ['ANTHROPIC_API_KEY', 'sk-ant-canary', 'sk-ant-canary'],
  ['PGPASSWORD', 'canary-password', 'canary-password'],
  ['DATABASE_URL', 'postgres://me:canary%20word@db/assay', 'canary word'],
  ['DATABASE_URL', 'postgres://me@db/assay?password=canary-word', 'canary-word'],
])('%s is a secret of this process', (name, value, repeated) => {
  expect(shown(`it said ${repeated}.`, { [name]: value })).toBe('it said [redacted].');
});

test.each([
  ['DATABASE_URL', 'postgres://postgres:postgres@db/assay', 'postgres'],
  ['DATABASE_URL', 'postgres://me@db/assay', 'postgres://me@db/assay'],
  ['TOKEN_FILE', '/run/secrets/token', '/run/secrets/token'],
  ['MAX_TOKENS', '100000', '100000'],
  ['HOME', '/home/me', '/home/me'],
])('%s=%s is none', (name, value, repeated) => {
  expect(shown(repeated, { [name]: value })).toBe(repeated);
});
