import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type EmbeddedDatabase, embeddedDatabase } from './database.ts';

let first: EmbeddedDatabase;
let second: EmbeddedDatabase;

beforeAll(async () => {
  [first, second] = await Promise.all([embeddedDatabase(), embeddedDatabase()]);
});

afterAll(async () => {
  await Promise.all([first.drop(), second.drop()]);
});

async function query(database: EmbeddedDatabase, text: string) {
  const client = new pg.Client(database.connection('owner'));
  await client.connect();
  return client.query(text).finally(() => client.end());
}

test('a test database is migrated', async () => {
  const { rows } = await query(first, 'select version from assay.installed_version');
  expect(rows).toHaveLength(1);
});

test('what one test file writes, no other sees', async () => {
  await query(first, 'create table only_here (id int)');
  const seen = await query(second, "select to_regclass('public.only_here') as name");
  expect(seen.rows).toEqual([{ name: null }]);
});

test('a dropped database is gone, whoever is connected', async () => {
  const third = await embeddedDatabase();
  const client = new pg.Client(third.connection('app'));
  const lost = new Promise<Error>((resolve) => {
    client.on('error', resolve);
  });
  await client.connect();
  await third.drop();
  expect(await lost).toBeInstanceOf(Error);
  await expect(query(third, 'select 1')).rejects.toThrow(/does not exist/);
});
