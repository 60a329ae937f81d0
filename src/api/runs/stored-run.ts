import { validate as isUuid } from 'uuid';
import type { RunSummary } from '../../contract/test-runs.ts';
import { AssayError } from '../../core/errors.ts';
import type { Totals } from '../../core/verdict/totals.ts';
import type { WorkspaceTransaction } from '../../store/database.ts';
import { findNamed } from '../../store/named.ts';
import { countResults, readRun, type StoredRun } from '../../store/test-run.ts';

/** The row of a run in this workspace. Throws `not_found`. */
export async function requireRun(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  testRunId: string,
): Promise<StoredRun> {
  const row = isUuid(testRunId) ? await readRun(transaction, workspaceId, testRunId) : undefined;
  if (row !== undefined) return row;
  throw new AssayError('not_found', `There is no test run "${testRunId}".`, [
    { field: 'testRunId', value: testRunId, message: 'names no test run that you may see' },
  ]);
}

/** The id of the suite that a caller means by its id, whatever became of it, or by the name that it has now. Throws
 *  `not_found`. */
export async function suiteIdOf(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  nameOrId: string,
): Promise<string> {
  if (isUuid(nameOrId)) return nameOrId;
  const suite = (await findNamed(transaction, workspaceId, 'test_suite', [nameOrId])).get(nameOrId);
  if (suite !== undefined) return suite.id;
  throw new AssayError('not_found', `There is no test suite "${nameOrId}".`, [
    { field: 'testSuite', value: nameOrId, message: 'names no test suite' },
  ]);
}

/** What lists say of these runs, in their order. */
export async function summariesOf(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  runs: readonly StoredRun[],
): Promise<RunSummary[]> {
  const counted = await countResults(transaction, workspaceId, runs);
  return runs.map((run) => ({
    id: run.id,
    suite: { id: run.suite_id, name: run.suite_name },
    status: run.status,
    outcome: run.outcome,
    token: run.token,
    createdAt: run.created_at.toISOString(),
    startedBy: run.started_by,
    totals: counted.get(run.id)?.totals as Totals,
  }));
}

/** Throws `not_found`. */
export async function summaryOf(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  testRunId: string,
): Promise<RunSummary> {
  const run = await requireRun(transaction, workspaceId, testRunId);
  const [summary] = await summariesOf(transaction, workspaceId, [run]);
  return summary as RunSummary;
}
