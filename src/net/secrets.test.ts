import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { AssayError } from '../core/errors.ts';
import type { SealedSecret } from '../core/sealed-secret.ts';
import { createSecrets } from './secrets.ts';

const directory = mkdtempSync(join(tmpdir(), 'assay-secrets-'));
afterAll(() => rmSync(directory, { recursive: true }));

const keyA = Buffer.alloc(32, 1);
const keyB = Buffer.alloc(32, 2);
const withKey = (...keys: string[]) =>
  createSecrets({ environment: { ASSAY_SECRET_KEY: keys.join(',') }, keyFile: join(directory, 'unused') });
const secretsA = withKey(keyA.toString('base64'));

function refusal(act: () => unknown): AssayError {
  try {
    act();
  } catch (error) {
    if (error instanceof AssayError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

test('any text opens to what was sealed, and no two seals share an iv or a ciphertext', () => {
  const ivs = new Set<string>();
  const property = fc.property(fc.string({ unit: 'grapheme' }), (text) => {
    const [first, second] = [secretsA.seal(text), secretsA.seal(text)];
    expect(secretsA.open(first)).toBe(text);
    expect(secretsA.open(second)).toBe(text);
    expect(JSON.stringify(first)).not.toContain(keyA.toString('base64'));
    for (const { $sealed } of [first, second]) {
      expect(ivs.has($sealed.iv)).toBe(false);
      ivs.add($sealed.iv);
    }
  });
  fc.assert(property, { numRuns: 300 });
});

test('a changed bit in any part of a sealed value is noticed, and the refusal says what to do', () => {
  const sealed = secretsA.seal('a secret of some length');
  const flips = fc.property(fc.constantFrom('iv', 'data', 'tag'), fc.nat(), (part, at) => {
    const bytes = Buffer.from(sealed.$sealed[part as 'iv'], 'base64');
    const bit = at % (bytes.length * 8);
    bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    const changed = { $sealed: { ...sealed.$sealed, [part]: bytes.toString('base64') } } as SealedSecret;
    const error = refusal(() => secretsA.open(changed));
    expect(error.message).toContain(sealed.$sealed.keyId);
    expect(error.message).toContain('Enter the secret again');
  });
  fc.assert(flips);
  const shortTag = { $sealed: { ...sealed.$sealed, tag: sealed.$sealed.tag.slice(0, 6) } };
  expect(refusal(() => secretsA.open(shortTag)).code).toBe('unavailable');
});

test('hex and base64 name the same key; an older key after a comma still opens', () => {
  const sealed = secretsA.seal('text');
  expect(withKey(keyA.toString('hex')).open(sealed)).toBe('text');
  const rotated = withKey(keyB.toString('base64'), keyA.toString('base64url'));
  expect(rotated.open(sealed)).toBe('text');
  expect(rotated.seal('text').$sealed.keyId).not.toBe(sealed.$sealed.keyId);
});

test('a value of another key is refused with the id of the key that is missing', () => {
  const sealed = withKey(keyB.toString('hex')).seal('text');
  const error = refusal(() => secretsA.open(sealed));
  expect(error.code).toBe('unavailable');
  expect(error.message).toContain(`sealed with key ${sealed.$sealed.keyId}`);
  expect(error.message).toContain('Add that key to ASSAY_SECRET_KEY');
});

test.each(['short', 'z'.repeat(64), Buffer.alloc(31).toString('base64'), ','])(
  'the key "%s" is refused by the name of its variable, without being repeated',
  (key) => {
    const error = refusal(() => withKey(key).seal('text'));
    expect(error.details[0]?.field).toBe('ASSAY_SECRET_KEY');
    expect(error.message).toContain('32 bytes');
    if (key.length > 1) expect(error.message).not.toContain(key);
  },
);

test('without the variable the key is made once, in a file that only its owner reads', () => {
  const keyFile = join(directory, 'fresh', 'secret.key');
  const sealed = createSecrets({ environment: {}, keyFile }).seal('text');
  expect(statSync(keyFile).mode & 0o777).toBe(0o600);
  const seen: string[] = [];
  const reopened = createSecrets({ environment: {}, keyFile, secretSeen: (key) => seen.push(key) });
  expect(reopened.open(sealed)).toBe('text');
  expect(seen).toEqual([readFileSync(keyFile, 'utf8').trim()]);
  const kept = readFileSync(keyFile, 'utf8').trim();
  expect(withKey(kept).open(sealed)).toBe('text');
});

test('a key file that others can read, or that holds no key, is refused with the way out', () => {
  const keyFile = join(directory, 'open.key');
  writeFileSync(keyFile, keyA.toString('base64'));
  chmodSync(keyFile, 0o644);
  const readable = refusal(() => createSecrets({ environment: {}, keyFile }).seal('text'));
  expect(readable.message).toContain(`chmod 600 ${keyFile}`);
  const broken = join(directory, 'broken.key');
  writeFileSync(broken, 'nonsense', { mode: 0o600 });
  expect(refusal(() => createSecrets({ environment: {}, keyFile: broken }).seal('text')).message).toContain(
    broken,
  );
});

test('a key file in a place that cannot be written names the file and the alternative', () => {
  const blocked = join(directory, 'file-not-folder');
  writeFileSync(blocked, '');
  const error = refusal(() =>
    createSecrets({ environment: {}, keyFile: join(blocked, 'secret.key') }).seal('text'),
  );
  expect(error.code).toBe('unavailable');
  expect(error.message).toContain('set ASSAY_SECRET_KEY');
});
