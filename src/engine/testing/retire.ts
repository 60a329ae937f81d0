import type { Kysely, Transaction } from 'kysely';
import { sql } from 'kysely';
import { fromKysely, type PgBoss } from 'pg-boss';
import { missingLanes } from '../../store/lane.ts';
import { laneQueue } from '../../store/queue.ts';
import type { Schema } from '../../store/schema.ts';
import { requeueCases } from '../../store/test-result.ts';
import { lockAbsentWorker, removeWorker } from '../../store/worker.ts';

/** Ends a worker of this process: its unfinished cases are queued again, with lanes to run them, in one step. */
export async function retireWorker(db: Kysely<Schema>, queue: PgBoss, workerId: string): Promise<void> {
  await db.transaction().execute((transaction) => retire(transaction, queue, workerId));
}

/** The same for a worker that is gone. False where it came back, or somebody else is at it. */
export async function retireAbsentWorker(
  db: Kysely<Schema>,
  queue: PgBoss,
  workerId: string,
): Promise<boolean> {
  return db.transaction().execute(async (transaction) => {
    const absent = await lockAbsentWorker(transaction, workerId);
    if (absent) await retire(transaction, queue, workerId);
    return absent;
  });
}

async function retire(transaction: Transaction<Schema>, queue: PgBoss, workerId: string): Promise<void> {
  await requeueCases(transaction, workerId);
  await removeWorker(transaction, workerId);
  await makeMissingLanes(transaction, queue);
}

/** Any fixed number: one process at a time looks for missing lanes. */
const restoringLock = 4_710_002;

/** Makes lanes for runs that have fewer than their queued cases could use, as when a process died between two cases. */
export async function restoreLanes(db: Kysely<Schema>, queue: PgBoss): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    const { rows } = await sql<{ first: boolean }>`
      select pg_try_advisory_xact_lock(${restoringLock}) as first`.execute(transaction);
    if (rows[0]?.first === true) await makeMissingLanes(transaction, queue);
  });
}

async function makeMissingLanes(transaction: Transaction<Schema>, queue: PgBoss): Promise<void> {
  const missing = await missingLanes(transaction);
  const jobs = missing.flatMap(({ workspaceId, runId, count }) =>
    Array.from({ length: count }, () => ({ data: { workspaceId, runId } })),
  );
  if (jobs.length > 0) await queue.insert(laneQueue, jobs, { db: fromKysely(transaction) });
}
