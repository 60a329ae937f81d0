import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import { v7 as uuidv7 } from 'uuid';
import type { DatabaseAccess } from './connection.ts';
import type { NamedTable } from './named.ts';
import type { Schema } from './schema.ts';

/** `assay` holds the product's own agent and its suites; `main` is yours. */
const firstWorkspaces = ['assay', 'main'];
const firstEnvironments = [
  { name: 'dev', live: false },
  { name: 'prod', live: true },
];

export async function seedWorkspaces(access: DatabaseAccess): Promise<void> {
  const db = new Kysely<Schema>({
    dialect: new PostgresDialect({ pool: new pg.Pool({ ...access.config('system'), max: 1 }) }),
  });
  try {
    await db.transaction().execute(async (transaction) => {
      const known = await transaction.selectFrom('workspace').select('name').execute();
      if (known.length > 0) return;
      for (const name of firstWorkspaces) {
        const workspaceId = uuidv7();
        await transaction.insertInto('workspace').values({ id: workspaceId, name }).execute();
        await transaction
          .insertInto('environment')
          .values(firstEnvironments.map((each) => ({ workspace_id: workspaceId, id: uuidv7(), ...each })))
          .execute();
      }
    });
  } finally {
    await db.destroy();
  }
}

export interface Workspace {
  id: string;
  name: string;
  timeZone: string;
}

/** Unarchived workspaces by name. */
export async function listWorkspaces(db: Kysely<Schema>): Promise<Workspace[]> {
  return db
    .selectFrom('workspace')
    .select(['id', 'name', 'time_zone as timeZone'])
    .where('archived_at', 'is', null)
    .orderBy('name')
    .execute();
}

/** Tables whose ids callers may name from any workspace. */
export type LocatedTable = NamedTable | 'test_run';

/** Which of these workspaces the object with this id is in. */
export async function workspaceOf(
  db: Kysely<Schema>,
  table: LocatedTable,
  id: string,
  workspaceIds: readonly string[],
): Promise<string | undefined> {
  const row = await db
    .selectFrom(table)
    .select('workspace_id')
    .where('id', '=', id)
    .where('workspace_id', 'in', workspaceIds)
    .executeTakeFirst();
  return row?.workspace_id;
}
