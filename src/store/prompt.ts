import { sql } from 'kysely';
import type { WorkspaceTransaction } from './database.ts';
import { changedNow, writeName } from './named.ts';

export interface StoredPrompt {
  id: string;
  name: string;
  body: string;
}

/** The unarchived prompts of the workspace, or those of these names, by name. */
export function readPrompts(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  names?: readonly string[],
): Promise<StoredPrompt[]> {
  return transaction
    .selectFrom('prompt')
    .select(['id', 'name', 'body'])
    .where('workspace_id', '=', workspaceId)
    .where('archived_at', 'is', null)
    .$if(names !== undefined, (query) => query.where('name', '=', sql<string>`any(${names})`))
    .orderBy('name')
    .execute();
}

export async function insertPrompt(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  prompt: StoredPrompt,
): Promise<void> {
  const insert = transaction.insertInto('prompt').values({ workspace_id: workspaceId, ...prompt });
  await writeName('prompt', prompt.name, insert.execute());
}

export async function updatePrompt(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  { id, name, body }: StoredPrompt,
): Promise<void> {
  const update = transaction
    .updateTable('prompt')
    .set({ name, body, ...changedNow })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id);
  await writeName('prompt', name, update.execute());
}
