import { type Kysely, sql, type Transaction } from 'kysely';
import type { Principal } from '../core/principal.ts';
import type { Role } from '../core/role.ts';
import type { Schema } from './schema.ts';
import type { RunKey } from './test-run.ts';

/** The attempt at a case inside of which a run is started. */
export interface ParentCase extends RunKey {
  resultId: string;
  attempt: number;
  /** The conversation of that attempt. */
  executionId: string;
}

/** Who started a run, with the role that they had then; undefined where that is not known. */
export async function readStarter(
  db: Kysely<Schema>,
  { workspaceId, runId }: RunKey,
): Promise<{ principal: Principal; role: Role } | undefined> {
  const row = await db
    .selectFrom('test_run')
    .select(['starter', 'starter_role'])
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', runId)
    .executeTakeFirst();
  if (row === undefined || row.starter === null || row.starter_role === null) return undefined;
  return { principal: row.starter, role: row.starter_role };
}

/** How many runs a run stands inside of, itself included. */
export async function readDepth(
  transaction: Transaction<Schema>,
  { workspaceId, runId }: RunKey,
): Promise<number> {
  const { depth } = await transaction
    .selectFrom('test_run')
    .select('depth')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', runId)
    .executeTakeFirstOrThrow();
  return depth;
}

/** Whether this attempt still has the case. If so, whoever ends it waits until this transaction has ended, and then sees
 *  what it started. */
export async function lockRunningCase(
  transaction: Transaction<Schema>,
  { workspaceId, resultId, attempt }: ParentCase,
): Promise<boolean> {
  const row = await transaction
    .selectFrom('test_result')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', resultId)
    .where('attempt', '=', attempt)
    .where('status', '=', 'running')
    .forShare()
    .executeTakeFirst();
  return row !== undefined;
}

/** Runs that were started inside of this one and are not over. */
export function openRunsInside(
  transaction: Transaction<Schema>,
  { workspaceId, runId }: RunKey,
): Promise<RunKey[]> {
  return transaction
    .selectFrom('test_run')
    .select(['workspace_id as workspaceId', 'id as runId'])
    .where('workspace_id', '=', workspaceId)
    .where('parent_run_id', '=', runId)
    .where('status', 'in', ['queued', 'running', 'judging'])
    .orderBy('id')
    .execute();
}

/** Open runs whose case was cancelled, or is another attempt's now. */
export async function orphanedRuns(db: Kysely<Schema>): Promise<RunKey[]> {
  const { rows } = await sql<RunKey>`
    select r.workspace_id as "workspaceId", r.id as "runId"
    from test_run r
    join test_result p on p.workspace_id = r.workspace_id and p.id = r.parent_result_id
    where r.status in ('queued', 'running') and r.parent_result_id is not null
      and (p.status = 'queued' or p.attempt <> r.parent_attempt or p.outcome = 'cancelled')
    order by r.id`.execute(db);
  return rows;
}
