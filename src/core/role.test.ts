import { describe, expect, test } from 'vitest';
import { isAtLeast, lesserRole, type Role } from './role.ts';

describe.each<[Role, Role, boolean]>([
  ['viewer', 'viewer', true],
  ['viewer', 'editor', false],
  ['editor', 'viewer', true],
  ['editor', 'admin', false],
  ['admin', 'editor', true],
])('of %s and %s', (one, other, includes) => {
  test(`the first ${includes ? 'includes' : 'lacks'} the other`, () => {
    expect(isAtLeast(one, other)).toBe(includes);
  });

  test('both allow what the lesser does, in either order', () => {
    const lesser = includes ? other : one;
    expect([lesserRole(one, other), lesserRole(other, one)]).toEqual([lesser, lesser]);
  });
});
