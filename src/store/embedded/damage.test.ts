import { spawn } from 'node:child_process';
import { chmod, chown, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { removeHome, temporaryHome } from '../../../test/temporary-home.ts';
import { type Account, spawnAs } from './account.ts';
import { inspectCluster } from './cluster-files.ts';
import { findPostmaster } from './postmaster.ts';
import { openEmbedded } from './server.ts';

// making a database takes a slow machine many seconds
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

let home: string;
let owner: Account;
const inData = (name: string) => join(home, 'pg', name);

beforeAll(async () => {
  home = await temporaryHome();
  const server = await openEmbedded({ home, fsync: false });
  await server.stop({ wait: true });
  owner = await stat(server.dataDirectory);
});

afterAll(() => removeHome(home));

/** Takes a part of the data directory away, or puts `content` in its place, while `work` runs. */
async function without(name: string, content: string | undefined, work: () => Promise<void>): Promise<void> {
  await rename(inData(name), join(home, 'aside'));
  if (content !== undefined) {
    await writeFile(inData(name), content);
    await chown(inData(name), owner.uid, owner.gid);
  }
  await work().finally(async () => {
    await rm(inData(name), { recursive: true, force: true });
    await rename(join(home, 'aside'), inData(name));
  });
}

const refusal = (code: string, message: RegExp) =>
  expect.objectContaining({ name: 'EmbeddedDatabaseError', code, message: expect.stringMatching(message) });

test.each([
  ['PG_VERSION', 'missing', undefined, /PG_VERSION is missing.*Restore it from a backup/],
  ['PG_VERSION', 'empty', '', /PG_VERSION is empty/],
  ['PG_VERSION', 'wrong', 'eighteen', /PG_VERSION says "eighteen"/],
  ['global/pg_control', 'missing', undefined, /global\/pg_control is missing/],
  ['global/pg_control', 'wrong', 'x'.repeat(8192), /PostgreSQL says:[\s\S]*FATAL:.*incompatible/],
  [
    'global/pg_filenode.map',
    'missing',
    undefined,
    /PostgreSQL says:[\s\S]*could not open file "global\/pg_filenode.map"/,
  ],
  ['pg_wal', 'missing', undefined, /PostgreSQL says:[\s\S]*"pg_wal" does not exist/],
])('a damaged data directory is refused, naming the damage: %s is %s', async (name, _, content, message) => {
  await without(name, content, async () => {
    await expect(openEmbedded({ home })).rejects.toEqual(refusal('data_damaged', message));
  });
  await expect.poll(() => findPostmaster(inData('.'))).toBeUndefined();
});

test.each([
  ['19', 'data_newer', /written by PostgreSQL 19.*brings PostgreSQL 18.*newer/],
  ['17', 'data_older', /written by PostgreSQL 17.*brings PostgreSQL 18.*backup/],
])('data of PostgreSQL %s are left alone', async (version, code, message) => {
  await without('PG_VERSION', `${version}\n`, async () => {
    await expect(openEmbedded({ home })).rejects.toEqual(refusal(code, message));
    expect(await readFile(inData('PG_VERSION'), 'utf8')).toBe(`${version}\n`);
  });
});

test('the undamaged directory still opens, also beside a lock file of a server that is long gone', async () => {
  await writeFile(inData('postmaster.pid'), lockFile(4_194_303));
  const server = await openEmbedded({ home, fsync: false });
  expect(server.started).toBe(true);
  await server.stop({ wait: true });
});

test('a lock file whose pid has become another program of the same user does not stop the start', async () => {
  const other = spawn('sleep', ['60'], spawnAs(owner));
  await writeFile(inData('postmaster.pid'), lockFile(other.pid ?? 0));
  const server = await openEmbedded({ home, fsync: false });
  expect(server.started).toBe(true);
  expect(other.exitCode).toBeNull();
  other.kill();
  await server.stop({ wait: true });
});

test('a lock file that a crash left unwritten does not stop the start', async () => {
  await writeFile(inData('postmaster.pid'), '');
  const server = await openEmbedded({ home, fsync: false });
  expect(server.started).toBe(true);
  await server.stop({ wait: true });
});

test('a server that was killed loses nothing that was committed', async () => {
  const killed = await openEmbedded({ home });
  const client = new pg.Client(killed.connection('owner'));
  client.on('error', () => undefined);
  await client.connect();
  await client.query('create table committed as select generate_series(1, 1000) as n');
  const { pid } = (await findPostmaster(killed.dataDirectory)) ?? { pid: 0 };
  process.kill(pid, 'SIGKILL');
  const server = await openEmbedded({ home });
  const again = new pg.Client(server.connection('owner'));
  await again.connect();
  expect((await again.query('select count(*)::int as count from committed')).rows).toEqual([{ count: 1000 }]);
  await again.end();
  await killed.stop();
  await server.stop({ wait: true });
});

test('files of something else are left alone', async () => {
  const elsewhere = await temporaryHome();
  onTestFinished(() => rm(elsewhere, { recursive: true }));
  await mkdir(join(elsewhere, 'pg'));
  await writeFile(join(elsewhere, 'pg', 'notes.txt'), 'mine');
  await expect(openEmbedded({ home: elsewhere })).rejects.toEqual(
    refusal('foreign_files', /pg is not a data directory of Assay: it holds notes\.txt\. Move it away/),
  );
  expect(await readdir(elsewhere)).toEqual(['pg']);
  await rm(join(elsewhere, 'pg'), { recursive: true });
  await writeFile(join(elsewhere, 'pg'), 'mine');
  await expect(openEmbedded({ home: elsewhere })).rejects.toEqual(refusal('foreign_files', /it is a file/));
  await expect(openEmbedded({ home: join(elsewhere, 'pg') })).rejects.toEqual(
    refusal('foreign_files', /a file stands there/),
  );
});

test('an empty directory in its place is taken over', async () => {
  const fresh = await temporaryHome();
  onTestFinished(() => removeHome(fresh));
  await mkdir(join(fresh, 'pg'));
  const server = await openEmbedded({ home: fresh, fsync: false });
  expect(server.started).toBe(true);
  await server.stop({ wait: true });
});

test('data of another user are refused, and data of root are', async () => {
  const path = inData('.');
  await expect(inspectCluster(path, { uid: owner.uid + 1, gid: owner.gid }, 18)).rejects.toEqual(
    refusal(
      'other_owner',
      new RegExp(`belongs to user ${owner.uid}.*cannot be used by user ${owner.uid + 1}`),
    ),
  );
  if (process.getuid?.() !== 0) return;
  await chown(path, 0, 0);
  await expect(openEmbedded({ home })).rejects.toEqual(refusal('other_owner', /never runs as root/));
  await chown(path, owner.uid, owner.gid);
});

test('a home that cannot be written is named', async () => {
  const locked = process.getuid?.() === 0 ? '/sys' : await temporaryHome();
  if (locked !== '/sys') {
    onTestFinished(() => removeHome(locked));
    await chmod(locked, 0o500);
  }
  await expect(openEmbedded({ home: join(locked, 'assay') })).rejects.toEqual(
    refusal('home_not_writable', /assay cannot be written \(E[A-Z]+\).*ASSAY_HOME/),
  );
});

function lockFile(pid: number): string {
  return [pid, join(home, 'pg'), '1700000000', '5432', '/tmp', '', '  1234567  7', 'ready   ', ''].join('\n');
}
