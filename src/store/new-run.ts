import { sql } from 'kysely';
import type { FrozenWork } from '../core/frozen.ts';
import { type Principal, principalKey } from '../core/principal.ts';
import type { Role } from '../core/role.ts';
import type { WorkspaceTransaction } from './database.ts';
import type { ParentCase } from './inner-run.ts';

export interface NewRun {
  id: string;
  suite: { id: string; name: string };
  token: string;
  parallel: number;
  versionTarget: { target: 'configured' | 'latest' | 'specific'; agentVersionId: string | null };
  /** Number of cases. */
  total: number;
  /** Who starts it, and the role that they have. */
  starter: Principal;
  starterRole: Role;
  /** 1, or one more than that of the run in whose case it is started. */
  depth: number;
  parent: ParentCase | null;
  createdAt: Date;
}

/** False where the workspace has a run with this token. */
export async function insertRun(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  run: NewRun,
): Promise<boolean> {
  const inserted = await transaction
    .insertInto('test_run')
    .values({
      workspace_id: workspaceId,
      id: run.id,
      suite_id: run.suite.id,
      suite_name: run.suite.name,
      token: run.token,
      parallel: run.parallel,
      version_target: JSON.stringify(run.versionTarget),
      total: run.total,
      remaining: run.total,
      started_by: principalKey(run.starter),
      starter: JSON.stringify(run.starter),
      starter_role: run.starterRole,
      depth: run.depth,
      parent_run_id: run.parent?.runId ?? null,
      parent_result_id: run.parent?.resultId ?? null,
      parent_attempt: run.parent?.attempt ?? null,
      created_at: run.createdAt,
    })
    .onConflict((conflict) => conflict.columns(['workspace_id', 'token']).doNothing())
    .returning('id')
    .executeTakeFirst();
  return inserted !== undefined;
}

const casesAtOnce = 1000;

/** Makes the results of a run, one for each case, in this order, all of them queued. */
export async function insertResults(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  runId: string,
  results: readonly { id: string; work: FrozenWork }[],
): Promise<void> {
  let inserting = Promise.resolve();
  for (let start = 0; start < results.length; start += casesAtOnce) {
    const rows = results.slice(start, start + casesAtOnce).map(({ id, work }, index) => ({
      id,
      seq: start + index + 1,
      caseId: work.case.id,
      caseName: work.case.name,
      work,
    }));
    // the next ones are put into words while the database is busy with the last ones
    const json = JSON.stringify(rows);
    await inserting;
    inserting = insertQueued(transaction, workspaceId, runId, json);
  }
  await inserting;
}

async function insertQueued(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  runId: string,
  json: string,
): Promise<void> {
  await sql`
    insert into test_result (workspace_id, id, run_id, seq, case_id, case_name, frozen_work)
    select ${workspaceId}, r.id, ${runId}, r.seq, r."caseId", r."caseName", r.work
    from json_to_recordset(${json}::json) as r(
      id uuid, seq int, "caseId" uuid, "caseName" text, work json)`.execute(transaction);
}
