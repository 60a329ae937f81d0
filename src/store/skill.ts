import { sql } from 'kysely';
import type { WorkspaceTransaction } from './database.ts';
import { changedNow, writeName } from './named.ts';

export interface StoredSkill {
  id: string;
  name: string;
  description: string;
  body: string;
}

/** The unarchived skills of the workspace, or those of these names, by name. */
export function readSkills(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  names?: readonly string[],
): Promise<StoredSkill[]> {
  return transaction
    .selectFrom('skill')
    .select(['id', 'name', 'description', 'body'])
    .where('workspace_id', '=', workspaceId)
    .where('archived_at', 'is', null)
    .$if(names !== undefined, (query) => query.where('name', '=', sql<string>`any(${names})`))
    .orderBy('name')
    .execute();
}

export async function insertSkill(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  skill: StoredSkill,
): Promise<void> {
  const insert = transaction.insertInto('skill').values({ workspace_id: workspaceId, ...skill });
  await writeName('skill', skill.name, insert.execute());
}

export async function updateSkill(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  { id, name, description, body }: StoredSkill,
): Promise<void> {
  const update = transaction
    .updateTable('skill')
    .set({ name, description, body, ...changedNow })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id);
  await writeName('skill', name, update.execute());
}
