import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createSigner } from './signer.ts';

const source = (byte: number) => ({
  environment: { ASSAY_SECRET_KEY: Buffer.alloc(32, byte).toString('hex') },
  keyFile: join(tmpdir(), 'no-key-file'),
});
const signer = createSigner(source(7), 'one purpose');

test('what an installation signed is read by every process of it, whatever it says', () => {
  for (const text of ['', 'a.b', '{"é": "\u{1f600}"}']) {
    const signed = signer.sign(text);
    expect(signed).toMatch(/^[\w-]*\.[\w-]+$/);
    expect(createSigner(source(7), 'one purpose').read(signed)).toBe(text);
  }
});

test('what was changed, made up, or signed elsewhere or for something else is not taken', () => {
  const signed = signer.sign('text');
  const [, mark] = signed.split('.');
  const others = [
    `${Buffer.from('other').toString('base64url')}.${mark}`,
    `${signed}.`,
    `${signed}A`,
    signed.slice(0, -2),
    'dGV4dA',
    'dGV4dA.',
    '',
    '.',
    createSigner(source(8), 'one purpose').sign('text'),
    createSigner(source(7), 'another').sign('text'),
  ];
  expect(others.map((each) => signer.read(each))).toEqual(others.map(() => null));
});
