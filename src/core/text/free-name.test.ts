import { expect, test } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { nameSchema } from '../documents/name.ts';
import { freeName } from './free-name.ts';

const among = (taken: string[]) => async (name: string) => taken.includes(name);

test(verifies('a name that is taken gets the next free number', 'O9'), async () => {
  expect(await freeName('bot', among([]))).toBe('bot');
  expect(await freeName('bot', among(['bot']))).toBe('bot (2)');
  expect(await freeName('bot', among(['bot', 'bot (2)', 'bot (4)']))).toBe('bot (3)');
});

test.each(['x'.repeat(200), `${'x'.repeat(195)}😀xyz`, `${'x'.repeat(194)}     x`])(
  'a numbered name is never longer than a name may be',
  async (long) => {
    const name = await freeName(long, among([long]));
    expect(name).toMatch(/x.*[^ ] \(2\)$/u);
    expect(nameSchema.safeParse(name).success).toBe(true);
  },
);
