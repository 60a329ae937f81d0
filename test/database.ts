import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';
import { type DatabaseRole, embeddedAccess } from '../src/store/connection.ts';
import { type EmbeddedServer, openEmbedded } from '../src/store/embedded/server.ts';
import { migrate } from '../src/store/migrate.ts';

/** A migrated database of one test file's own. */
export interface TestDatabase {
  /** The `ASSAY_HOME` whose server holds it. */
  home: string;
  database: string;
  connection(role: DatabaseRole): ReturnType<EmbeddedServer['connection']>;
  /** Removes it, whoever is still connected. */
  drop(): Promise<void>;
}

const template = 'assay_template';
/** Any fixed number: test files that start together take turns to make the template. */
const templateLock = 4_710_002;

/** Makes a database for the calling test file: a copy of one that was migrated once in this test run. */
export async function testDatabase(): Promise<TestDatabase> {
  const home = inject('databaseHome');
  const server = await openEmbedded({ home, fsync: false });
  const database = `test_${randomBytes(6).toString('hex')}`;
  await administer(server, async (client) => {
    await makeTemplate(server, client);
    await client.query(`create database ${database} template ${template} owner assay_owner`);
  });
  return {
    home,
    database,
    connection: (role) => server.connection(role, database),
    drop: () =>
      administer(server, async (client) => {
        await client.query(`drop database ${database} with (force)`);
      }),
  };
}

/** The one place that connects as the superuser: only it may copy a database. */
async function administer(server: EmbeddedServer, work: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client({ ...server.connection('owner'), user: 'postgres' });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}

async function makeTemplate(server: EmbeddedServer, client: pg.Client): Promise<void> {
  await client.query('select pg_advisory_lock($1)', [templateLock]);
  const finished = await client.query('select from pg_database where datname = $1 and datistemplate', [
    template,
  ]);
  if (finished.rowCount === 0) {
    await client.query(`drop database if exists ${template}`);
    await client.query(`create database ${template} owner assay_owner`);
    await migrate(embeddedAccess({ connection: (role) => server.connection(role, template) }));
    await client.query(`alter database ${template} is_template true`);
  }
  await client.query('select pg_advisory_unlock($1)', [templateLock]);
}
