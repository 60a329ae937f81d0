import { type Kysely, sql } from 'kysely';
import type { ProviderSettings, ReadProviderSettings } from '../core/provider-settings.ts';
import type { WorkspaceTransaction } from './database.ts';
import type { Schema } from './schema.ts';

export interface StoredSettings {
  /** 0: nothing was ever set. */
  revision: number;
  judgeModel: string | null;
  simulatorModel: string | null;
  /** By name; a provider that is not here is as the server's environment says. */
  providers: Record<string, ProviderSettings>;
}

export async function readSettings(
  transaction: WorkspaceTransaction,
  workspaceId: string,
): Promise<StoredSettings> {
  const row = await transaction
    .selectFrom('workspace_setting')
    .select(['revision', 'judge_model as judgeModel', 'simulator_model as simulatorModel', 'providers'])
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirst();
  return row ?? { revision: 0, judgeModel: null, simulatorModel: null, providers: {} };
}

/** Writes the settings under the next revision, in the transaction that has read them. */
export async function writeSettings(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  { revision, judgeModel, simulatorModel, providers }: StoredSettings,
): Promise<void> {
  const columns = {
    judge_model: judgeModel,
    simulator_model: simulatorModel,
    providers: JSON.stringify(providers),
    revision: revision + 1,
  };
  await transaction
    .insertInto('workspace_setting')
    .values({ workspace_id: workspaceId, ...columns })
    .onConflict((conflict) =>
      conflict.column('workspace_id').doUpdateSet({ ...columns, updated_at: sql`now()` }),
    )
    .execute();
}

/** What one workspace says of one provider. `system` sees every workspace, so the condition on it is what keeps the others
 *  out. */
export async function readProviderSettings(
  system: Kysely<Schema>,
  workspaceId: string,
  provider: string,
): ReturnType<ReadProviderSettings> {
  const row = await system
    .selectFrom('workspace_setting')
    .select(['revision', sql<ProviderSettings | null>`providers -> ${provider}`.as('provider')])
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirst();
  return row?.provider ? { ...row.provider, revision: row.revision } : null;
}
