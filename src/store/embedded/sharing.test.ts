import { readdir, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { openInProcess } from '../../../test/embedded-process.ts';
import { removeHome, temporaryHome } from '../../../test/temporary-home.ts';
import { findPostmaster } from './postmaster.ts';
import { openEmbedded } from './server.ts';

// making a database takes a slow machine many seconds
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

let home: string;

beforeAll(async () => {
  home = await temporaryHome();
  const server = await openEmbedded({ home, fsync: false });
  await server.stop({ wait: true });
});

afterAll(() => removeHome(home));

const dataDirectory = () => join(home, 'pg');

test.each([2, 4])('%i processes that open a fresh home at once share one server', async (count) => {
  const home = await temporaryHome();
  onTestFinished(() => removeHome(home));
  const processes = await Promise.all(Array.from({ length: count }, () => openInProcess(home)));
  expect(processes.filter(({ started }) => started)).toHaveLength(1);
  expect(new Set(processes.map(({ socketDirectory }) => socketDirectory)).size).toBe(1);
  expect((await readdir(home)).sort()).toEqual(['pg', 'pg.log']);
  const stopped = await Promise.all(processes.map((process) => process.stop()));
  expect(stopped.filter(Boolean)).toHaveLength(1);
});

test('the server outlives a process that is killed, and the next one adopts it', async () => {
  const dead = await openInProcess(home);
  const pid = (await findPostmaster(dataDirectory()))?.pid;
  await dead.kill();
  const server = await openEmbedded({ home, fsync: false });
  expect(server.started).toBe(false);
  expect(await findPostmaster(dataDirectory())).toMatchObject({ pid, status: 'ready' });
  expect(await server.stop({ wait: true })).toBe(true);
  expect(await findPostmaster(dataDirectory())).toBeUndefined();
});

test('whoever leaves while another process uses the server leaves it running', async () => {
  const server = await openEmbedded({ home, fsync: false });
  const other = await openInProcess(home);
  expect(other.started).toBe(false);
  expect(await server.stop({ wait: true })).toBe(false);
  expect(await findPostmaster(dataDirectory())).toMatchObject({ status: 'ready' });
  expect(await other.stop()).toBe(true);
});

test('a client that is no Assay process keeps the server running too', async () => {
  const server = await openEmbedded({ home, fsync: false });
  const client = new pg.Client(server.connection('app'));
  await client.connect();
  expect(await server.stop({ wait: true })).toBe(false);
  expect((await client.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
  await client.end();
  const next = await openEmbedded({ home, fsync: false });
  expect(next.started).toBe(false);
  expect(await next.stop({ wait: true })).toBe(true);
});

test('own connections that were closed just before do not keep it running', async () => {
  const server = await openEmbedded({ home, fsync: false });
  const pool = new pg.Pool({ ...server.connection('app'), max: 8 });
  await Promise.all(Array.from({ length: 8 }, () => pool.query('select pg_sleep(0.01)')));
  await pool.end();
  expect(await server.stop({ wait: true })).toBe(true);
});

test('a process that opens while the server is being stopped gets a server that stays', async () => {
  let server = await openEmbedded({ home, fsync: false });
  for (let round = 0; round < 10; round += 1) {
    const [, next] = await Promise.all([server.stop(), openEmbedded({ home, fsync: false })]);
    const client = new pg.Client(next.connection('app'));
    await client.connect();
    expect((await client.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
    await client.end();
    server = next;
  }
  expect(await server.stop({ wait: true })).toBe(true);
  expect(await findPostmaster(dataDirectory())).toBeUndefined();
});

test('a server that dies while it is used comes back by itself', async () => {
  const log: string[] = [];
  const server = await openEmbedded({ home, fsync: false, log: (line) => log.push(line) });
  const first = await findPostmaster(dataDirectory());
  process.kill(first?.pid ?? 0, 'SIGKILL');
  await expect
    .poll(() => log.filter((line) => line.startsWith('started PostgreSQL')).length, { timeout: 15_000 })
    .toBe(2);
  const second = await findPostmaster(dataDirectory());
  expect(second).toMatchObject({ status: 'ready' });
  expect(second?.pid).not.toBe(first?.pid);
  const client = new pg.Client(server.connection('owner'));
  await client.connect();
  await client.end();
  expect(await server.stop({ wait: true })).toBe(true);
});

test('several that find a killed server at once start one', async () => {
  let servers = [await openEmbedded({ home, fsync: false })];
  for (let round = 0; round < 5; round += 1) {
    const running = await findPostmaster(dataDirectory());
    process.kill(running?.pid ?? 0, 'SIGKILL');
    // the one that lost its server brings it back, beside those that open it now
    const opened = await Promise.all([1, 2, 3].map(() => openEmbedded({ home, fsync: false })));
    expect(opened.filter(({ started }) => started).length).toBeLessThanOrEqual(1);
    await Promise.all(servers.map((server) => server.stop()));
    servers = opened;
  }
  const stopped = await Promise.all(servers.map((server) => server.stop({ wait: true })));
  expect(stopped.filter(Boolean)).toHaveLength(1);
});

test('data that vanish while they are used are missed, not replaced by an empty database', async () => {
  const log: string[] = [];
  const server = await openEmbedded({ home, fsync: false, log: (line) => log.push(line) });
  const running = await findPostmaster(dataDirectory());
  const aside = join(home, 'aside');
  await rename(dataDirectory(), aside);
  process.kill(running?.pid ?? 0, 'SIGQUIT');
  await expect
    .poll(() => log, { timeout: 15_000 })
    .toContainEqual(expect.stringMatching(/pg vanished while it was/));
  expect(await stat(dataDirectory()).catch(({ code }) => code)).toBe('ENOENT');
  await rename(aside, dataDirectory());
  await expect.poll(() => log.at(-1), { timeout: 15_000 }).toMatch(/^started PostgreSQL/);
  expect(await server.stop({ wait: true })).toBe(true);
});
