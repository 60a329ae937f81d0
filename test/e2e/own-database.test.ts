import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { openEmbedded } from '../../src/store/embedded/server.ts';
import { type Installation, installation } from './installation.ts';

let world: Installation;
let databaseUrl: string;
beforeAll(async () => {
  world = await installation();
  // makes the tables
  await world.assay(['test', 'suites']);
  const server = await openEmbedded({ home: world.home, fsync: false });
  const owner = server.connection('owner');
  const { host, port, user, database } = owner;
  // one login takes on every role there, as the program sees to where it makes the tables itself
  const client = new pg.Client({ ...owner, user: 'postgres' });
  await client.connect();
  await client.query(`grant assay_app, assay_system to ${user}`);
  await client.end();
  databaseUrl = `postgres://${user}@/${database}?host=${encodeURIComponent(host)}&port=${port}`;
  await server.stop();
});
afterAll(() => world.remove());

test('a server on a database of your own makes its home', async () => {
  const above = await mkdtemp(join(tmpdir(), 'own-database-'));
  onTestFinished(() => rm(above, { recursive: true }));
  const home = join(above, 'missing', 'home');
  const server = world.start(['serve', '--port', '0'], {
    env: { DATABASE_URL: databaseUrl, ASSAY_HOME: home },
  });
  await Promise.race([server.said('stdout', /http:\/\/\S+/), server.ended]);
  server.process.kill('SIGTERM');
  expect(await server.ended).toMatchObject({ stderr: expect.not.stringContaining('ENOENT') });
  expect((await stat(join(home, 'operator-token'))).mode & 0o777).toBe(0o600);
});

test('a server on a database of your own says so where its home cannot be written', async () => {
  const refused = await world.assay(['serve', '--port', '0'], {
    env: { DATABASE_URL: databaseUrl, ASSAY_HOME: '/dev/null/x' },
  });
  expect(refused.stderr).toMatch(/\/dev\/null\/x cannot be used as a directory.*ASSAY_HOME/);
  expect(refused.code).not.toBe(0);
});
