import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { signInSecret } from './sign-in-secret.ts';

test('follows from the first secret key alone, and gives it away no more than that', () => {
  const [first, second] = [randomBytes(32).toString('hex'), randomBytes(32).toString('hex')];
  const of = (keys: string) => signInSecret({ environment: { ASSAY_SECRET_KEY: keys }, keyFile: '/nowhere' });
  expect(of(first)).toBe(of(`${first},${second}`));
  expect(of(first)).not.toBe(of(`${second},${first}`));
  expect(of(first)).toMatch(/^[\w-]{43}$/);
  expect(Buffer.from(of(first), 'base64url').toString('hex')).not.toBe(first);
});
