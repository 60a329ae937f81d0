import { existsSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { removeHome, temporaryHome } from '../../../test/temporary-home.ts';
import { findPostmaster } from './postmaster.ts';
import { openEmbedded } from './server.ts';

// making a database takes a slow machine many seconds
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

let home: string;

beforeAll(async () => {
  home = await temporaryHome();
});

afterAll(() => removeHome(home));

async function query(config: pg.ClientConfig, text: string) {
  const client = new pg.Client(config);
  await client.connect();
  return client.query(text).finally(() => client.end());
}

test('an empty home becomes a durable UTF-8 database that listens on no network', async () => {
  const log: string[] = [];
  const server = await openEmbedded({ home, log: (line) => log.push(line) });
  expect(server.started).toBe(true);
  expect(server.dataDirectory).toBe(join(home, 'pg'));
  expect(log).toEqual([
    expect.stringContaining('made the database'),
    expect.stringContaining('started PostgreSQL'),
  ]);
  const { rows } = await query(
    server.connection('owner'),
    `select name, setting from pg_settings where name in ('fsync', 'full_page_writes', 'synchronous_commit',
      'listen_addresses', 'TimeZone', 'server_encoding', 'data_checksums') order by name collate "C"`,
  );
  expect(Object.fromEntries(rows.map(({ name, setting }) => [name, setting]))).toEqual({
    TimeZone: 'UTC',
    data_checksums: 'on',
    fsync: 'on',
    full_page_writes: 'on',
    listen_addresses: '',
    server_encoding: 'UTF8',
    synchronous_commit: 'on',
  });
  await query(
    server.connection('owner'),
    'create table kept (word text); insert into kept values ($$still here$$)',
  );
  expect(await server.stop({ wait: true })).toBe(true);
  expect(await findPostmaster(server.dataDirectory)).toBeUndefined();
});

test('a stopped database opens again with what was written', async () => {
  const server = await openEmbedded({ home });
  expect(server.started).toBe(true);
  expect((await query(server.connection('owner'), 'select word from kept')).rows).toEqual([
    { word: 'still here' },
  ]);
  await server.stop({ wait: true });
});

test('each role logs in as itself, and none is above row-level security', async () => {
  const server = await openEmbedded({ home });
  for (const role of ['owner', 'app', 'system'] as const) {
    const { rows } = await query(
      server.connection(role),
      `select current_user as name, current_database() as database, rolsuper, rolbypassrls, rolcreaterole, rolcreatedb
        from pg_roles where rolname = current_user`,
    );
    expect(rows).toEqual([
      {
        name: `assay_${role}`,
        database: 'assay',
        rolsuper: false,
        rolbypassrls: false,
        rolcreaterole: false,
        rolcreatedb: false,
      },
    ]);
  }
  await expect(query(server.connection('app'), 'create table public.mine (id int)')).rejects.toThrow(
    /permission denied/,
  );
  await server.stop({ wait: true });
});

test('only the account of the server can enter its data and its socket', async () => {
  const server = await openEmbedded({ home });
  const data = await stat(server.dataDirectory);
  for (const path of [server.dataDirectory, server.socketDirectory]) {
    const found = await stat(path);
    expect({ mode: found.mode & 0o777, uid: found.uid }).toEqual({ mode: 0o700, uid: data.uid });
  }
  expect(data.uid).not.toBe(0);
  await server.stop({ wait: true });
});

test('the log tells how the server fared, and never what a refused statement said', async () => {
  const server = await openEmbedded({ home });
  await query(server.connection('owner'), 'create table if not exists single (word text primary key)');
  const canary = 'canary-4711';
  await query(server.connection('owner'), `insert into single values ('${canary}')`);
  await expect(query(server.connection('owner'), `insert into single values ('${canary}')`)).rejects.toThrow(
    /duplicate key/,
  );
  await expect(query(server.connection('owner'), `select '${canary}'::int`)).rejects.toThrow(canary);
  await server.stop({ wait: true });
  const log = await readFile(join(home, 'pg.log'), 'utf8');
  expect(log).toContain('database system is ready to accept connections');
  expect(log).not.toContain(canary);
});

test('without fsync only when asked', async () => {
  const server = await openEmbedded({ home, fsync: false });
  expect((await query(server.connection('app'), 'show fsync')).rows).toEqual([{ fsync: 'off' }]);
  await server.stop({ wait: true });
});

test('stopping twice is stopping once, and leaves no socket behind', async () => {
  const server = await openEmbedded({ home });
  expect(await server.stop()).toBe(true);
  expect(await server.stop({ wait: true })).toBe(true);
  expect(await findPostmaster(server.dataDirectory)).toBeUndefined();
  expect(existsSync(server.socketDirectory)).toBe(false);
});
