import { Kysely, PostgresDialect, sql, type Transaction } from 'kysely';
import pg from 'pg';
import { v7 as uuidv7 } from 'uuid';
import { firstWorkspaces } from '../core/first-workspaces.ts';
import type { Principal } from '../core/principal.ts';
import type { DatabaseAccess } from './connection.ts';
import { insertMember } from './member.ts';
import { type NamedTable, writeName } from './named.ts';
import type { Schema } from './schema.ts';

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
        const workspace = { id: uuidv7(), name, timeZone: 'UTC' };
        await createWorkspace(transaction, workspace, { creator: null, newId: uuidv7 });
      }
    });
  } finally {
    await db.destroy();
  }
}

/** Makes a workspace with its first environments. A person who creates it becomes its admin; whoever owns the installation
 *  is so everywhere. */
export async function createWorkspace(
  transaction: Transaction<Schema>,
  { id, name, timeZone }: Pick<Workspace, 'id' | 'name' | 'timeZone'>,
  { creator, newId }: { creator: Principal | null; newId: () => string },
): Promise<void> {
  const insert = transaction.insertInto('workspace').values({ id, name, time_zone: timeZone });
  await writeName('workspace', name, insert.execute());
  await transaction
    .insertInto('environment')
    .values(firstEnvironments.map((each) => ({ workspace_id: id, id: newId(), ...each })))
    .execute();
  if (creator?.kind === 'user') await insertMember(transaction, id, { userId: creator.id, role: 'admin' });
}

export interface Workspace {
  id: string;
  name: string;
  timeZone: string;
  revision: number;
  createdAt: Date;
  updatedAt: Date;
}

const columns = [
  'id',
  'name',
  'time_zone as timeZone',
  'revision',
  'created_at as createdAt',
  'updated_at as updatedAt',
] as const;

/** The workspace of the transaction. Others wait to change it until the transaction ends. */
export function lockWorkspace(transaction: Transaction<Schema>, id: string): Promise<Workspace> {
  return transaction
    .selectFrom('workspace')
    .select(columns)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirstOrThrow();
}

export async function updateWorkspace(
  transaction: Transaction<Schema>,
  { id, name, timeZone, revision }: Pick<Workspace, 'id' | 'name' | 'timeZone' | 'revision'>,
): Promise<void> {
  const update = transaction
    .updateTable('workspace')
    .set({ name, time_zone: timeZone, revision, updated_at: sql`now()` })
    .where('id', '=', id);
  await writeName('workspace', name, update.execute());
}

/** Takes the workspace out of everybody's sight. Its name is free again. */
export async function archiveWorkspaceRow(transaction: Transaction<Schema>, id: string): Promise<void> {
  await transaction
    .updateTable('workspace')
    .set({ archived_at: sql`now()`, updated_at: sql`now()`, revision: sql`revision + 1` })
    .where('id', '=', id)
    .execute();
}

/** Unarchived workspaces by name. */
export async function listWorkspaces(db: Kysely<Schema>): Promise<Workspace[]> {
  return db
    .selectFrom('workspace')
    .select(columns)
    .where('archived_at', 'is', null)
    .orderBy('name')
    .execute();
}

/** Tables whose ids callers may name from any workspace. */
export type LocatedTable = NamedTable | 'agent_grant' | 'test_run' | 'test_result';

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
