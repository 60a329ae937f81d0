import { sql } from 'kysely';
import type { WorkspaceTransaction } from './database.ts';

/** The ids of the cases of each of these suites, in order. */
export async function readCaseIds(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  suiteIds: readonly string[],
): Promise<{ suiteId: string; caseIds: string[] }[]> {
  const rows = await transaction
    .selectFrom('test_suite_case')
    .select(['suite_id as suiteId', 'case_id as caseId'])
    .where('workspace_id', '=', workspaceId)
    .where('suite_id', '=', sql<string>`any(${suiteIds})`)
    .orderBy('suite_id')
    .orderBy('position')
    .execute();
  const bySuite = Map.groupBy(rows, ({ suiteId }) => suiteId);
  return suiteIds.map((suiteId) => ({
    suiteId,
    caseIds: (bySuite.get(suiteId) ?? []).map(({ caseId }) => caseId),
  }));
}

/** Puts these cases into the suite, in this order, in place of those that it has. */
export async function replaceCaseIds(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  suiteId: string,
  caseIds: readonly string[],
): Promise<void> {
  await transaction
    .deleteFrom('test_suite_case')
    .where('workspace_id', '=', workspaceId)
    .where('suite_id', '=', suiteId)
    .execute();
  await sql`
    insert into test_suite_case (workspace_id, suite_id, position, case_id)
    select ${workspaceId}, ${suiteId}, c.position, c.case_id
    from unnest(${caseIds}::uuid[]) with ordinality as c(case_id, position)`.execute(transaction);
}
