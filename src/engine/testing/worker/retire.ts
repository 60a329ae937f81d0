import type { Kysely, Transaction } from 'kysely';
import type { PgBoss } from 'pg-boss';
import { lockMissingLanes, missingLanes } from '../../../store/lane.ts';
import { queueLanes } from '../../../store/queue.ts';
import type { Schema } from '../../../store/schema.ts';
import { requeueCases } from '../../../store/test-result.ts';
import { lockAbsentWorker, removeWorker } from '../../../store/worker.ts';
import { cancelOrphans } from '../cancel.ts';

/** Ends a worker of this process: its unfinished cases are queued again, with lanes to run them, in one step. What they
 *  had started is cancelled: they will start it anew. */
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
  await cancelOrphans(transaction);
  await removeWorker(transaction, workerId);
  await makeMissingLanes(transaction, queue);
}

/** Makes lanes for runs that have fewer than their queued cases could use, as when a process died between two cases. */
export async function restoreLanes(db: Kysely<Schema>, queue: PgBoss): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    if (await lockMissingLanes(transaction)) await makeMissingLanes(transaction, queue);
  });
}

async function makeMissingLanes(transaction: Transaction<Schema>, queue: PgBoss): Promise<void> {
  const missing = await missingLanes(transaction);
  const lanes = missing.flatMap(({ workspaceId, runId, count }) =>
    Array.from({ length: count }, () => ({ workspaceId, runId })),
  );
  await queueLanes(transaction, queue, lanes);
}
