import { afterAll, beforeAll, expect, test } from 'vitest';
import { type TestDatabase, testDatabase } from '../../test/database.ts';
import { verifies } from '../../test/verifies.ts';
import type { Observe } from '../core/ports.ts';
import { systemRandom } from '../net/system-ports.ts';
import { type Database, openDatabase } from './database.ts';
import { createObserve } from './observe.ts';

let testDb: TestDatabase;
let database: Database;
let observe: Observe;
const workspaces: { [name: string]: string } = {};
beforeAll(async () => {
  testDb = await testDatabase();
  database = openDatabase(testDb.access, { onIdleError: () => {} });
  observe = createObserve(database.system);
  for (const { id, name } of await database.system.selectFrom('workspace').selectAll().execute())
    workspaces[name] = id;
});
afterAll(async () => {
  await database.close();
  await testDb.drop();
});

const { signal } = new AbortController();
const named = (name: string, workspace = 'main') => ({
  workspace_id: workspaces[workspace] ?? '',
  id: systemRandom.id(),
  name,
});

test(
  verifies('an object is seen under its kind and name, with the time it was made', 'M38', 'M40'),
  async () => {
    const main = workspaces.main ?? '';
    await database.system
      .insertInto('prompt')
      .values({ ...named('prompt one'), body: '' })
      .execute();
    await database.system
      .insertInto('skill')
      .values({ ...named('skill one'), description: '', body: '' })
      .execute();
    await database.system.insertInto('agent').values(named('agent one')).execute();
    await database.system
      .insertInto('test_case')
      .values({ ...named('case one'), subject_kind: 'agent', definition: '{}' })
      .execute();
    for (const [object, name] of [
      ['prompt', 'prompt one'],
      ['skill', 'skill one'],
      ['agent', 'agent one'],
      ['test-case', 'case one'],
    ] as const) {
      const seen = await observe(main, object, name, signal);
      const time = expect.stringMatching(/^\d{4}-.*Z$/);
      expect(seen).toEqual({ exists: true, createdAt: time, now: time });
      expect(Date.parse(seen.createdAt ?? '')).toBeLessThanOrEqual(Date.parse(seen.now));
      const other = await observe(main, object, `${name} more`, signal);
      expect(other).toEqual({ exists: false, createdAt: null, now: time });
    }
    expect((await observe(main, 'skill', 'prompt one', signal)).exists).toBe(false);
  },
);

test(verifies('an object of another workspace is not seen', 'M41'), async () => {
  await database.system
    .insertInto('prompt')
    .values({ ...named('elsewhere', 'assay'), body: '' })
    .execute();
  expect((await observe(workspaces.main ?? '', 'prompt', 'elsewhere', signal)).exists).toBe(false);
  expect((await observe(workspaces.assay ?? '', 'prompt', 'elsewhere', signal)).exists).toBe(true);
});

test('an archived object is gone', async () => {
  await database.system
    .insertInto('prompt')
    .values({ ...named('old'), body: '', archived_at: new Date() })
    .execute();
  expect((await observe(workspaces.main ?? '', 'prompt', 'old', signal)).exists).toBe(false);
});
