import { Kysely, PostgresDialect, sql } from 'kysely';
import { Migrator } from 'kysely/migration';
import pg from 'pg';
import { AssayError } from '../core/errors.ts';
import type { DatabaseAccess } from './connection.ts';
import { migrations } from './migrations/index.ts';
import { installQueue, queueVersion } from './queue.ts';
import { seedWorkspaces } from './workspace.ts';

/** Any fixed number: processes that start together take turns on it. */
const migrationLock = 4_710_001;
const connectsWithinMs = 10_000;
const newest = Object.keys(migrations).sort().at(-1) ?? '';
const wanted = `${newest} pg-boss ${queueVersion}`;

/** Brings the database up to this program's schema: roles, tables, queue, the two first workspaces. Cheap when nothing is
 *  to be done, safe when several processes start together, all or nothing per migration.
 *  Throws AssayError when the database of `DATABASE_URL` is not to be reached, is newer than the program, or the login may not create roles. */
export async function migrate(access: DatabaseAccess): Promise<void> {
  const client = new pg.Client({ ...access.config('owner'), connectionTimeoutMillis: connectsWithinMs });
  try {
    await client.connect();
  } catch (error) {
    throw access.explain(error, client);
  }
  try {
    if ((await installedVersion(client)) === wanted) return;
    await client.query('select pg_advisory_lock($1)', [migrationLock]);
    if ((await installedVersion(client)) === wanted) return;
    if (access.oneLogin) await createRoles(client);
    await client.query('create schema if not exists assay');
    await migrateTables(access);
    await installQueue(access);
    await seedWorkspaces(access);
    await client.query('create table if not exists assay.installed_version (version text not null)');
    await client.query('delete from assay.installed_version');
    await client.query('insert into assay.installed_version values ($1)', [wanted]);
  } finally {
    await client.end();
  }
}

async function installedVersion(client: pg.Client): Promise<string | null> {
  const table = await client.query("select to_regclass('assay.installed_version') as name");
  if (table.rows[0].name === null) return null;
  const version = await client.query('select version from assay.installed_version');
  return version.rows[0]?.version ?? null;
}

/** On a server of your own the login that migrates also makes the two other roles and becomes a member of them. */
async function createRoles(client: pg.Client): Promise<void> {
  for (const role of ['assay_app', 'assay_system']) {
    try {
      const known = await client.query('select 1 from pg_roles where rolname = $1', [role]);
      if (known.rowCount === 0) await client.query(`create role ${role} nologin`);
      await client.query(`grant ${role} to current_user`);
    } catch (cause) {
      throw new AssayError(
        'unavailable',
        `The database login may not set up the role ${role}. As an administrator run: CREATE ROLE ${role} NOLOGIN; GRANT ${role} TO <the login in DATABASE_URL>;`,
        [],
        { cause },
      );
    }
  }
}

async function migrateTables(access: DatabaseAccess): Promise<void> {
  const pool = new pg.Pool({ ...access.config('owner'), max: 1 });
  const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) });
  try {
    const unknown = (await appliedMigrations(db)).filter((name) => !(name in migrations));
    if (unknown.length > 0) {
      throw new AssayError(
        'unavailable',
        `The database was made by a newer Assay (it knows ${unknown.join(', ')}, this program does not). Start the newer program, or restore a backup.`,
      );
    }
    const migrator = new Migrator({
      db,
      provider: { getMigrations: async () => migrations },
      migrationTableName: 'schema_migration',
      migrationLockTableName: 'schema_migration_lock',
      migrationTableSchema: 'assay',
    });
    const { error } = await migrator.migrateToLatest();
    if (error !== undefined) throw error;
  } finally {
    await db.destroy();
  }
}

async function appliedMigrations(db: Kysely<unknown>): Promise<string[]> {
  const table = await sql<{ name: string | null }>`
    select to_regclass('assay.schema_migration') as name`.execute(db);
  if (table.rows[0]?.name === null) return [];
  const applied = await sql<{ name: string }>`select name from assay.schema_migration`.execute(db);
  return applied.rows.map(({ name }) => name);
}
