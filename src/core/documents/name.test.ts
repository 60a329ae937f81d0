import { expect, test } from 'vitest';
import { nameSchema } from './name.ts';

test.each([
  ['', 'must not be blank'],
  [' ', 'must not be blank'],
  [' \u00a0 ', 'must not be blank'],
  [' a', 'must not begin or end with spaces'],
  ['a ', 'must not begin or end with spaces'],
])('of the name %j is said once what is wrong', (name, message) => {
  expect(nameSchema.safeParse(name).error?.issues.map((issue) => issue.message)).toEqual([message]);
});
