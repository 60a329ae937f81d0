import { type Kysely, sql } from 'kysely';
import type pg from 'pg';
import type { CaseOutcome, RunStatus } from '../core/verdict/outcome.ts';
import { runOutcome } from '../core/verdict/run-outcome.ts';
import { countTotals, type Totals } from '../core/verdict/totals.ts';
import type { WorkspaceTransaction } from './database.ts';
import type { Schema } from './schema.ts';
import { livingWorkers } from './worker.ts';

/** Tells of a run whose rows have changed; the payload is its id. */
export const runChannel = 'assay_run';
/** Tells of a run that was cancelled; the payload is its id. */
export const cancelChannel = 'assay_cancel';

export interface RunKey {
  workspaceId: string;
  runId: string;
}

/** The row of a run in this workspace. */
export async function readRun(transaction: WorkspaceTransaction, workspaceId: string, id: string) {
  return transaction
    .selectFrom('test_run')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .executeTakeFirst();
}
export type StoredRun = NonNullable<Awaited<ReturnType<typeof readRun>>>;

/** Which runs are read: `limit` of those that are older than `before`. */
export interface RunPart {
  before: string | undefined;
  limit: number;
  suiteId?: string | undefined;
  status?: RunStatus | undefined;
  outcome?: CaseOutcome | undefined;
}

/** A page of the runs of the workspace, newest first: ids grow with time. */
export function listRuns(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  { before, limit, suiteId, status, outcome }: RunPart,
): Promise<StoredRun[]> {
  return transaction
    .selectFrom('test_run')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .$if(before !== undefined, (query) => query.where('id', '<', before as string))
    .$if(suiteId !== undefined, (query) => query.where('suite_id', '=', suiteId as string))
    .$if(status !== undefined, (query) => query.where('status', '=', status as RunStatus))
    .$if(outcome !== undefined, (query) => query.where('outcome', '=', outcome as CaseOutcome))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}

/** How many runs of the workspace are not over. */
export async function countOpenRuns(transaction: WorkspaceTransaction, workspaceId: string): Promise<number> {
  const { open } = await transaction
    .selectFrom('test_run')
    .select(({ fn }) => fn.countAll<number>().as('open'))
    .where('workspace_id', '=', workspaceId)
    .where('status', 'not in', ['finished', 'cancelled'])
    .executeTakeFirstOrThrow();
  return open;
}

/** Totals of each run by its id, and how many of its cases are being worked on and done. */
export async function countResults(
  db: Kysely<Schema>,
  workspaceId: string,
  runs: readonly { id: string; total: number }[],
): Promise<Map<string, { totals: Totals; running: number; done: number }>> {
  const rows = await db
    .selectFrom('test_result')
    .select(['run_id', 'status', 'outcome'])
    .select(({ fn }) => [fn.countAll<number>().as('cases'), fn.count<number>('duration_ms').as('timed')])
    .select(sql<number>`coalesce(sum(duration_ms), 0)::float8`.as('sumMs'))
    .where('workspace_id', '=', workspaceId)
    .where('run_id', '=', sql<string>`any(${runs.map(({ id }) => id)}::uuid[])`)
    .groupBy(['run_id', 'status', 'outcome'])
    .execute();
  const byRun = Map.groupBy(rows, (row) => row.run_id);
  return new Map(runs.map(({ id, total }) => [id, summed(total, byRun.get(id) ?? [])]));
}

function summed(
  tests: number,
  rows: readonly {
    status: string;
    outcome: CaseOutcome | null;
    cases: number;
    timed: number;
    sumMs: number;
  }[],
) {
  const timed = rows.filter(({ outcome }) => outcome !== null && outcome !== 'cancelled');
  const counts: { [outcome in CaseOutcome]?: number } = {};
  for (const { outcome, cases } of rows) if (outcome !== null) counts[outcome] = cases;
  const totals = countTotals(tests, counts, {
    count: timed.reduce((sum, row) => sum + row.timed, 0),
    sumMs: timed.reduce((sum, row) => sum + row.sumMs, 0),
  });
  const inStatus = (status: 'running' | 'done') =>
    rows.filter((row) => row.status === status).reduce((sum, row) => sum + row.cases, 0);
  return { totals, running: inStatus('running'), done: inStatus('done') };
}

/** The same of one run. */
export async function countRun(db: Kysely<Schema>, { workspaceId, runId }: RunKey, total: number) {
  const counted = (await countResults(db, workspaceId, [{ id: runId, total }])).get(runId);
  if (counted === undefined) throw new Error(`the results of run ${runId} were not counted`);
  return counted;
}

/** Open runs whose cases all have a result; not by their count alone, so that a wrong one keeps no run open for ever. */
const complete = sql<boolean>`
  status in ('queued', 'running') and (remaining = 0 or not exists (
    select from test_result q where q.workspace_id = r.workspace_id and q.run_id = r.id and q.status = 'queued')
  and not exists (
    select from test_result q where q.workspace_id = r.workspace_id and q.run_id = r.id and q.status = 'running'))`;

/** Ends a run whose cases all have a result, with the outcome they add up to. Does nothing where it is over already. */
export async function endRun(db: Kysely<Schema>, key: RunKey): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    const run = await transaction
      .selectFrom('test_run as r')
      .select('total')
      .where('workspace_id', '=', key.workspaceId)
      .where('id', '=', key.runId)
      .where(complete)
      .forUpdate()
      .executeTakeFirst();
    if (run === undefined) return;
    const { totals } = await countRun(transaction, key, run.total);
    const outcome = runOutcome(totals, false);
    await transaction
      .updateTable('test_run')
      .set({ status: outcome === null ? 'judging' : 'finished', outcome, remaining: 0 })
      .set(outcome === null ? {} : { finished_at: sql`now()` })
      .where('workspace_id', '=', key.workspaceId)
      .where('id', '=', key.runId)
      .execute();
    await sql`select pg_notify(${runChannel}, ${key.runId})`.execute(transaction);
  });
}

/** Runs whose cases all have a result and that nobody has ended yet. */
export async function runsToEnd(db: Kysely<Schema>): Promise<RunKey[]> {
  return db
    .selectFrom('test_run as r')
    .select(['workspace_id as workspaceId', 'id as runId'])
    .where(complete)
    .execute();
}

/** Which of these runs were cancelled. */
export async function cancelledRuns(pool: pg.Pool, runIds: readonly string[]): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>({
    name: 'cancelled-runs',
    text: `select id from test_run where id = any($1) and status = 'cancelled'`,
    values: [runIds],
  });
  return rows.map(({ id }) => id);
}

/** Cancels a run that is not over: its unfinished cases have the outcome `cancelled` at once, whoever works on them. Gives
 *  the name of its suite; undefined where the run is over, or the workspace has none with this id. */
export async function cancelOpenRun(
  transaction: WorkspaceTransaction,
  { workspaceId, runId }: RunKey,
  reason: string,
): Promise<{ suiteName: string } | undefined> {
  // the results first and in the order of their ids, as whoever records them does: the two cannot block each other
  await sql`
    with unfinished as materialized (
      select r.workspace_id, r.id from test_result r
      where r.workspace_id = ${workspaceId} and r.run_id = ${runId} and r.status <> 'done'
      order by r.id for update)
    update test_result r set status = 'done', outcome = 'cancelled', reason = ${reason}, finished_at = now(),
      recorded = (select total from test_run where workspace_id = ${workspaceId} and id = ${runId})
    from unfinished u where r.workspace_id = u.workspace_id and r.id = u.id`.execute(transaction);
  const cancelled = await transaction
    .updateTable('test_run')
    .set({ status: 'cancelled', outcome: 'cancelled', remaining: 0, finished_at: sql`now()` })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', runId)
    .where('status', 'in', ['queued', 'running', 'judging'])
    .returning('suite_name as suiteName')
    .executeTakeFirst();
  if (cancelled === undefined) return undefined;
  await sql`select pg_notify(${cancelChannel}, ${runId}), pg_notify(${runChannel}, ${runId})`.execute(
    transaction,
  );
  return cancelled;
}

export interface RunState {
  status: RunStatus;
  outcome: CaseOutcome | null;
  totals: Totals;
  /** Cases with a recorded result. */
  done: number;
  running: number;
  /** Living workers. */
  workers: number;
}

/** How far a run of this workspace is; null where there is none with this id. */
export async function runState(transaction: WorkspaceTransaction, key: RunKey): Promise<RunState | null> {
  const run = await transaction
    .selectFrom('test_run')
    .select(['status', 'outcome', 'total', 'parallel'])
    .select(livingWorkers.as('workers'))
    .where('workspace_id', '=', key.workspaceId)
    .where('id', '=', key.runId)
    .executeTakeFirst();
  if (run === undefined) return null;
  const { status, outcome, total, parallel, workers } = run;
  const { totals, done, running } = await countRun(transaction, key, total);
  // a worker may hold a few cases that it has not started yet
  return { status, outcome, totals, done, running: Math.min(running, parallel), workers };
}
