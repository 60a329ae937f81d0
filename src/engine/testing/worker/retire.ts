import type { Kysely, Transaction } from 'kysely';
import type { PgBoss } from 'pg-boss';
import type { Random } from '../../../core/ports.ts';
import type { Database } from '../../../store/database.ts';
import { lockMissingLanes, missingLanes } from '../../../store/lane.ts';
import { queueLanes } from '../../../store/queue.ts';
import type { Schema } from '../../../store/schema.ts';
import { requeueCases } from '../../../store/test-result.ts';
import { lockAbsentWorker, removeWorker } from '../../../store/worker.ts';
import { cancelOrphans } from '../cancel.ts';

export interface RetireParts {
  database: Pick<Database, 'system'>;
  queue: PgBoss;
  random: Pick<Random, 'id'>;
}

/** Ends a worker of this process: its unfinished cases are queued again, with lanes to run them, in one step. What they
 *  had started is cancelled: they will start it anew. */
export async function retireWorker({ database, ...parts }: RetireParts, workerId: string): Promise<void> {
  await database.system.transaction().execute((transaction) => retire(transaction, parts, workerId));
}

/** The same for a worker that is gone. False where it came back, or somebody else is at it. */
export async function retireAbsentWorker(
  { database, ...parts }: RetireParts,
  workerId: string,
): Promise<boolean> {
  return database.system.transaction().execute(async (transaction) => {
    const absent = await lockAbsentWorker(transaction, workerId);
    if (absent) await retire(transaction, parts, workerId);
    return absent;
  });
}

async function retire(
  transaction: Transaction<Schema>,
  { queue, random }: Omit<RetireParts, 'database'>,
  workerId: string,
): Promise<void> {
  await requeueCases(transaction, workerId);
  await cancelOrphans(transaction, random);
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
