import fc from 'fast-check';
import { expect, test } from 'vitest';
import { modelNames } from './tool-names.ts';

test('a name that models accept is given to them as it is', () => {
  expect(modelNames(['list_directory', 'create-prompt', 'a/read'])).toEqual([
    'list_directory',
    'create-prompt',
    'a__read',
  ]);
});

test('names that would become one, or are too long, end in a piece of their own hash, whatever else is offered', () => {
  const long = 'x'.repeat(70);
  const [space, dot, cut, empty] = modelNames(['a b', 'a.b', long, '']);
  expect(space).toMatch(/^a_b_[0-9a-f]{8}$/);
  expect(dot).toMatch(/^a_b_[0-9a-f]{8}$/);
  expect(dot).not.toBe(space);
  expect(cut).toMatch(/^x{55}_[0-9a-f]{8}$/);
  expect(empty).toMatch(/^_[0-9a-f]{8}$/);
  expect(modelNames([long, 'other'])[0]).toBe(cut);
});

test('whatever tools are called, models get different names of the form that providers accept', () => {
  const names = fc.uniqueArray(
    fc.string({ unit: fc.constantFrom('a', 'b', '.', '/', ' ', 'ü', '_'), maxLength: 90 }),
  );
  const property = fc.property(names, (given) => {
    const result = modelNames(given);
    expect(new Set(result).size).toBe(given.length);
    for (const name of result) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
  });
  fc.assert(property);
});
