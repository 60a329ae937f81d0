import type { WorkspaceTransaction } from './database.ts';

export interface Environment {
  id: string;
  name: string;
  /** Real people and systems are behind it. */
  live: boolean;
}

/** The unarchived environments of the workspace, by name. */
export function listEnvironments(
  transaction: WorkspaceTransaction,
  workspaceId: string,
): Promise<Environment[]> {
  return transaction
    .selectFrom('environment')
    .select(['id', 'name', 'live'])
    .where('workspace_id', '=', workspaceId)
    .where('archived_at', 'is', null)
    .orderBy('name')
    .execute();
}
