import fc from 'fast-check';
import { expect, test } from 'vitest';
import { closestName } from './closest-name.ts';

test.each([
  ['list_directori', ['read_file', 'list_directory', 'list_directories'], 'list_directory'],
  ['LIST_DIRECTORY', ['list', 'list_directory'], 'list_directory'],
  ['write', ['written', 'wrote', 'writer'], 'wrote'],
  ['x', ['a', 'b'], 'a'],
  ['', ['abc', 'a'], 'a'],
  ['ab', ['ba', 'abc'], 'abc'],
])('of %j among %j the closest is %j', (name, known, closest) => {
  expect(closestName(name, known)).toBe(closest);
});

test('nothing is closest where nothing is known', () => {
  expect(closestName('x', [])).toBeNull();
});

test('a known name is closest to itself, and the answer is always a known one', () => {
  fc.assert(
    fc.property(fc.array(fc.stringMatching(/^[a-z]{0,9}$/), { minLength: 1 }), fc.string(), (known, name) => {
      expect(known).toContain(closestName(name, known));
      expect(closestName(known[0] ?? '', known)).toBe(known[0]);
    }),
  );
});

test('names of any length are compared in bounded time', () => {
  const long = 'x'.repeat(1_000_000);
  expect(closestName(long, [`${long}y`, 'short'])).toBe(`${long}y`);
});
