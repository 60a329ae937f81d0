import { expect, test } from 'vitest';
import { nameSchema } from './name.ts';

test.each([
  ['', 'must not be blank'],
  [' ', 'must not be blank'],
  [' \u00a0 ', 'must not be blank'],
  [' a', 'must not begin or end with spaces'],
  ['a ', 'must not begin or end with spaces'],
  ['.', 'must not be "." or ".."'],
  ['..', 'must not be "." or ".."'],
])('of the name %j is said once what is wrong', (name, message) => {
  expect(nameSchema.safeParse(name).error?.issues.map((issue) => issue.message)).toEqual([message]);
});

test.each(['...', '.env', 'a.b'])('%j is a name', (name) => {
  expect(nameSchema.safeParse(name).success).toBe(true);
});
