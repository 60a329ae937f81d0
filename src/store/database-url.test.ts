import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { removeHome, temporaryHome } from '../../test/temporary-home.ts';
import { urlAccess } from './connection.ts';
import { findPostmaster } from './embedded/postmaster.ts';
import { type EmbeddedServer, openEmbedded } from './embedded/server.ts';
import { migrate } from './migrate.ts';

const password = 'geheim-7Qx';
let home: string;
let server: EmbeddedServer;
beforeAll(async () => {
  home = await temporaryHome();
  server = await openEmbedded({ home, fsync: false });
  // this server trusts its owner: one login of it has to give a password
  const rules = join(server.dataDirectory, 'pg_hba.conf');
  await writeFile(rules, `local all ada scram-sha-256\n${await readFile(rules, 'utf8')}`);
  const running = await findPostmaster(server.dataDirectory);
  process.kill(running?.pid ?? 0, 'SIGHUP');
});
afterAll(async () => {
  await server.stop({ wait: true });
  await removeHome(home);
});

/** The message of the refusal of an address. */
async function refusalOf(address: string): Promise<string> {
  const error = await (async () => migrate(urlAccess(address)))().catch((thrown) => thrown);
  expect(error).toMatchObject({ name: 'AssayError', code: 'unavailable' });
  expect(error.message).toMatch(/DATABASE_URL/);
  expect(error.message).not.toContain(password);
  return error.message;
}

test.each([
  ['garbage', 'garbage', /must begin with postgres:\/\/; it is no such address\. Write it as/],
  ['no scheme', `ada:${password}@db/assay`, /must begin with postgres:\/\//],
  [
    'another database',
    `mysql://ada:${password}@db/assay`,
    /must begin with postgres:\/\/; it begins with mysql:\/\//,
  ],
  ['a port that is none', `postgres://ada:${password}@db:99999/assay`, /its port must be a number/],
  ['a port that is a word', `postgresql://ada:${password}@db:port/assay`, /its port must be a number/],
  ['a password that is cut by its signs', `postgres://ada:12/${password}@db/assay`, /percent-encoded/],
  ['a port where nobody listens', `postgres://ada:${password}@127.0.0.1:1/assay`, /127\.0\.0\.1:1.*Start/],
  [
    'a host that is none',
    `postgres://ada:${password}@db.invalid/assay`,
    /db\.invalid:5432.*Correct the host/,
  ],
])('%s is refused by name, with what to do', async (_, address, message) => {
  expect(await refusalOf(address)).toMatch(message);
});

function addressOf(login: string, database: string): string {
  const { host, port } = server.connection('owner');
  return `postgres://${login}@/${database}?host=${encodeURIComponent(host)}&port=${port}`;
}

test('a wrong password, and none where one is asked for, are said to be that', async () => {
  for (const login of [`ada:${password}`, 'ada']) {
    await expect
      .poll(() => refusalOf(addressOf(login, 'assay')))
      .toMatch(/refuses the password of user "ada"\. Correct the user and the password/);
  }
});

test('a user and a database that are not there are named', async () => {
  expect(await refusalOf(addressOf('nobody_known', 'assay'))).toMatch(/refuses user "nobody_known"/);
  expect(await refusalOf(addressOf(`assay_owner:${password}`, 'nowhere'))).toMatch(
    /there is no database "nowhere" on .*CREATE DATABASE/,
  );
});
