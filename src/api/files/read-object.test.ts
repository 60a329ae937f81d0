// biome-ignore-all lint/suspicious/noTemplateCurlyInString: this is how object files write variables
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type NounWorld, nounWorld, refusalOf } from '../../../test/noun-world.ts';
import { verifies } from '../../../test/verifies.ts';
import type { ObjectKind } from '../../contract/apply.ts';
import { readObject } from './read-object.ts';

let world: NounWorld;
beforeAll(async () => {
  world = await nounWorld();
});
afterAll(() => world.close());

const read = (text: string, kind: ObjectKind = 'test-suite', variables = {}) =>
  readObject(world.context(), { file: { path: 'suite.yaml', text }, kind, variables });

test('the one object of a file is read, with or without its kind, and nothing is stored', async () => {
  const before = await world.everything();
  const text = 'id: some-id\nrevision: 3\nname: ${NAME}\ntestCaseIds: [a, b]\n';
  const object = { id: 'some-id', revision: 3, name: 'n', testCaseIds: ['a', 'b'] };
  expect(await read(text, 'test-suite', { NAME: 'n' })).toEqual({ object });
  expect(await read(`kind: test-suite\n${text}`, 'test-suite', { NAME: 'n' })).toEqual({ object });
  expect(await world.everything()).toEqual(before);
});

test.each([
  ['a blank name', 'name: " "\ntestCaseIds: []', 'suite.yaml:1: name: must not be blank (it is " ")'],
  ['no ids', 'id: x\nname: s', 'suite.yaml:1: testCaseIds: is needed'],
  [
    'ids that are no list',
    'name: s\ntestCaseIds: a',
    'suite.yaml:2: testCaseIds: must be a list (it is "a")',
  ],
  ['malformed YAML', 'name: s\ntestCaseIds: [a', 'suite.yaml:2: is no valid YAML'],
])(verifies('a suite file with %s is refused with its line', 'M12'), async (_, text, message) => {
  expect((await refusalOf(read(text))).message).toContain(message);
});

test.each([
  ['another kind', 'kind: prompt\nname: p\nbody: b', 'suite.yaml:1: kind: must be test-suite, not "prompt"'],
  [
    'two objects',
    'name: a\ntestCaseIds: []\n---\nname: b\ntestCaseIds: []',
    'suite.yaml:4: is a second object',
  ],
  ['nothing', '# nothing', 'suite.yaml:1: describes no test-suite'],
  ['an unset variable', 'name: ${NAME}\ntestCaseIds: []', 'suite.yaml:1: name: needs the variable NAME'],
])('%s is refused', async (_, text, message) => {
  expect((await refusalOf(read(text))).message).toContain(message);
});
