import { expect, test } from 'vitest';
import { isDeeper } from './json-depth.ts';

const bytes = (text: string) => new TextEncoder().encode(text);

test.each([
  ['[[[1]]]', 3],
  ['{"a":{"b":[{}]}}', 4],
  ['[[],[],[[]]]', 3],
  [String.raw`["[[[[", "\"[[[[", "\\", {"}{": "é["}]`, 2],
  ['', 0],
])('%s is %i deep', (json, depth) => {
  expect(isDeeper(bytes(json), depth)).toBe(false);
  expect(isDeeper(bytes(json), depth - 1)).toBe(depth > 0);
});

test('what is cut short counts as far as it goes', () => {
  expect(isDeeper(bytes('[[['), 2)).toBe(true);
  expect(isDeeper(bytes('["\\'), 1)).toBe(false);
});
