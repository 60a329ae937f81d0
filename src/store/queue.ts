import { sql, type Transaction } from 'kysely';
import pg from 'pg';
import { fromKysely, PgBoss } from 'pg-boss';
import packageJson from 'pg-boss/package.json' with { type: 'json' };
import type { DatabaseAccess } from './connection.ts';
import type { Schema } from './schema.ts';

export const queueVersion: string = packageJson.version;
export const laneQueue = 'lane';

/** One lane of a run: it takes the run's cases one after another. */
export interface LaneJob {
  workspaceId: string;
  runId: string;
}

/** Notices that lanes wait; without a payload. */
export const laneChannel = 'assay_lane';

/** Queues lanes in this transaction and tells every worker once it commits. A higher priority goes first. */
export async function queueLanes(
  transaction: Transaction<Schema>,
  queue: PgBoss,
  lanes: readonly LaneJob[],
  priority = 0,
): Promise<void> {
  if (lanes.length === 0) return;
  const jobs = lanes.map((data) => ({ data, priority }));
  await queue.insert(laneQueue, jobs, { db: fromKysely(transaction) });
  await sql`select pg_notify(${laneChannel}, '')`.execute(transaction);
}

/** Makes or updates the queue's tables as their owner, and lets the other roles use them. */
export async function installQueue(access: DatabaseAccess): Promise<void> {
  const boss = new PgBoss({ ...queueConnection(access, 'owner'), supervise: false, schedule: false, max: 2 });
  boss.on('error', () => {});
  await boss.start();
  try {
    // retryLimit 0: a lane is re-created by whoever takes over its cases, never by the queue
    await boss.createQueue(laneQueue, { retryLimit: 0, expireInSeconds: 3600 });
  } finally {
    await boss.stop({ graceful: false });
  }
  const client = new pg.Client(access.config('owner'));
  await client.connect();
  try {
    await client.query(`
      grant usage on schema pgboss to assay_app, assay_system;
      grant select, insert, update, delete on all tables in schema pgboss to assay_app, assay_system;
      grant usage on all sequences in schema pgboss to assay_app, assay_system;
      grant execute on all functions in schema pgboss to assay_app, assay_system;`);
  } finally {
    await client.end();
  }
}

/** The queue for a process that sends or works on lanes. Never migrates; `supervise` only in long-lived processes. */
export function openQueue(access: DatabaseAccess, options: { supervise: boolean }): PgBoss {
  return new PgBoss({
    ...queueConnection(access, 'system'),
    migrate: false,
    createSchema: false,
    schedule: false,
    supervise: options.supervise,
    max: 4,
  });
}

function queueConnection(access: DatabaseAccess, role: 'owner' | 'system') {
  const { host, port, user, database, connectionString, options } = access.config(role);
  return Object.fromEntries(
    Object.entries({ host, port, user, database, connectionString, options }).filter(
      ([, value]) => value !== undefined,
    ),
  );
}
