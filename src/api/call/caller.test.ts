import { expect, test } from 'vitest';
import { localCaller, mayDefinePrograms, roleHere } from './caller.ts';

const workspace = { id: 'w', name: 'main' };

test('the role in a workspace is the one that the caller has there, and none is none', () => {
  expect(roleHere({ caller: { ...localCaller, roleIn: () => 'editor' }, workspace })).toBe('editor');
  const stranger = { ...localCaller, roleIn: () => null };
  const refused = expect.objectContaining({
    code: 'not_found',
    message: 'There is no workspace "main".',
  });
  expect(() => roleHere({ caller: stranger, workspace })).toThrow(refused);
  expect(() => mayDefinePrograms({ caller: stranger, workspace })).toThrow(refused);
});
