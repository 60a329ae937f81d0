import { createHash, randomBytes } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';
import {
  type DatabaseAccess,
  type DatabaseRole,
  embeddedAccess,
  urlAccess,
} from '../src/store/connection.ts';
import { type EmbeddedServer, openEmbedded } from '../src/store/embedded/server.ts';
import { migrate } from '../src/store/migrate.ts';

/** A migrated database of one test file's own. */
export interface TestDatabase {
  access: DatabaseAccess;
  /** Removes it, whoever is still connected. */
  drop(): Promise<void>;
}

export interface EmbeddedDatabase extends TestDatabase {
  /** The `ASSAY_HOME` whose server holds it. */
  home: string;
  database: string;
  connection(role: DatabaseRole): ReturnType<EmbeddedServer['connection']>;
}

/** Any fixed number: test files that start together take turns to make the template. */
const templateLock = 4_710_002;

/** Makes a database for the calling test file: on the server that `ASSAY_TEST_DATABASE_URL` names, with a login that may
 *  create databases and roles, else on the embedded one. */
export function testDatabase(): Promise<TestDatabase> {
  const url = process.env.ASSAY_TEST_DATABASE_URL;
  return url === undefined ? embeddedDatabase() : ownDatabase(url);
}

/** The same on the embedded server in any case. */
export async function embeddedDatabase(): Promise<EmbeddedDatabase> {
  const home = inject('databaseHome');
  const server = await openEmbedded({ home, fsync: false });
  // the one place that connects as the superuser: only it may copy a database for another owner
  const administer = <Result>(work: (client: pg.Client) => Promise<Result>) =>
    connected({ ...server.connection('owner'), user: 'postgres' }, work);
  const at = (name: string) => embeddedAccess({ connection: (role) => server.connection(role, name) });
  const database = await administer((client) => copyOfTemplate(client, at, 'owner assay_owner'));
  return {
    home,
    database,
    access: at(database),
    connection: (role) => server.connection(role, database),
    drop: () => administer((client) => dropDatabase(client, database)),
  };
}

async function ownDatabase(url: string): Promise<TestDatabase> {
  const at = (name: string) => {
    const address = new URL(url);
    address.pathname = `/${name}`;
    return urlAccess(address.href);
  };
  const administer = <Result>(work: (client: pg.Client) => Promise<Result>) =>
    connected({ connectionString: url }, work);
  const database = await administer((client) => copyOfTemplate(client, at, ''));
  return { access: at(database), drop: () => administer((client) => dropDatabase(client, database)) };
}

/** A copy of a database that was migrated once on this server. */
async function copyOfTemplate(
  client: pg.Client,
  at: (database: string) => DatabaseAccess,
  owner: string,
): Promise<string> {
  // of this test run: an older one on a server that stays would be that of an older program
  const template = `template_${createHash('sha256').update(inject('databaseHome')).digest('hex').slice(0, 12)}`;
  await client.query('select pg_advisory_lock($1)', [templateLock]);
  const finished = await client.query('select from pg_database where datname = $1 and datistemplate', [
    template,
  ]);
  if (finished.rowCount === 0) {
    await client.query(`drop database if exists ${template}`);
    await client.query(`create database ${template} ${owner}`);
    await migrate(at(template));
    await client.query(`alter database ${template} is_template true`);
  }
  await client.query('select pg_advisory_unlock($1)', [templateLock]);
  const database = `test_${randomBytes(6).toString('hex')}`;
  await client.query(`create database ${database} template ${template} ${owner}`);
  return database;
}

async function dropDatabase(client: pg.Client, database: string): Promise<void> {
  await client.query(`drop database ${database} with (force)`);
}

async function connected<Result>(
  config: pg.ClientConfig,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client(config);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
