import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { inlinePayloadBytes, storedPayloadBytes } from './limits.ts';
import { capPayload } from './payload.ts';

/** A text whose JSON form has exactly that many bytes. */
const textOf = (bytes: number, character = 'x') =>
  character.repeat((bytes - 2) / Buffer.byteLength(character));

test('up to the limit a payload stays as it is, one byte more makes it a reference to its whole text', () => {
  const fits = textOf(inlinePayloadBytes);
  expect(capPayload(fits)).toEqual({ inline: fits });
  const exceeds = textOf(inlinePayloadBytes + 1);
  const text = JSON.stringify(exceeds);
  const hash = createHash('sha256').update(text).digest('hex');
  expect(capPayload(exceeds)).toEqual({
    reference: { $ref: `sha256:${hash}`, bytes: inlinePayloadBytes + 1, cut: false },
    stored: text,
  });
});

test('sizes count bytes, not characters', () => {
  expect(capPayload('ü'.repeat(inlinePayloadBytes / 2 - 1))).toHaveProperty('inline');
  expect(capPayload('ü'.repeat(inlinePayloadBytes / 2))).toHaveProperty('reference');
});

test('over the cap the beginning is stored, in whole characters, and the reference says that it is cut', () => {
  const whole = capPayload(textOf(storedPayloadBytes));
  expect(whole).toMatchObject({ reference: { bytes: storedPayloadBytes, cut: false } });
  const value = `x${'€'.repeat(storedPayloadBytes / 3)}`;
  const capped = capPayload(value);
  if (!('reference' in capped)) throw new Error('not capped');
  expect(capped.reference).toMatchObject({ bytes: Buffer.byteLength(JSON.stringify(value)), cut: true });
  expect(JSON.stringify(value).startsWith(capped.stored)).toBe(true);
  const stored = Buffer.byteLength(capped.stored);
  expect(stored).toBeLessThanOrEqual(storedPayloadBytes);
  expect(stored).toBeGreaterThan(storedPayloadBytes - 3);
});

test('a stored text is well-formed even where the value is not', () => {
  const capped = capPayload(`${'\u0000\ud800'.repeat(inlinePayloadBytes)}`);
  if (!('reference' in capped)) throw new Error('not capped');
  expect(capped.stored.isWellFormed()).toBe(true);
  expect(capped.stored).not.toContain('\u0000');
});
