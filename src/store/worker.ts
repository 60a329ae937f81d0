import { sql, type Transaction } from 'kysely';
import type pg from 'pg';
import type { Schema } from './schema.ts';

/** How long a worker counts as alive after it was last heard of, by the database's clock. */
const leaseSeconds = 30;

const lockKey = 'hashtextextended($1::uuid::text, 0)';

/** Takes the lock of a new worker in the session of `client`, then makes the worker known: nobody ever sees it without
 *  its lock. */
export async function registerWorker(client: pg.Client, id: string, lanes: number): Promise<void> {
  await client.query(`select pg_advisory_lock(${lockKey})`, [id]);
  await client.query(
    `insert into worker (id, lock_key, lanes, lease_until)
     values ($1, ${lockKey}, $2, now() + make_interval(secs => $3))`,
    [id, lanes, leaseSeconds],
  );
}

/** Takes the lock again in a new session; false while the old session is not gone yet. */
export async function retakeWorkerLock(client: pg.Client, id: string): Promise<boolean> {
  const { rows } = await client.query(`select pg_try_advisory_lock(${lockKey}) as taken`, [id]);
  return rows[0].taken;
}

/** False where somebody has taken the worker for dead: its cases are no longer its own. */
export async function renewLease(client: pg.Client, id: string): Promise<boolean> {
  const { rowCount } = await client.query(
    'update worker set lease_until = now() + make_interval(secs => $2) where id = $1',
    [id, leaseSeconds],
  );
  return rowCount === 1;
}

const unlocked = `not exists (
  select from pg_locks l
  where l.locktype = 'advisory' and l.objsubid = 1 and l.granted
    and l.database = (select oid from pg_database where datname = current_database())
    and (l.classid::bigint << 32) | l.objid::bigint = w.lock_key)`;

/** How many workers live now. */
export const livingWorkers = sql<number>`(
  select count(*)::int from worker w where w.lease_until > now() and not (${sql.raw(unlocked)}))`;

/** Workers whose lease has lapsed, and those that do not hold their lock just now. */
export async function absentWorkers(
  pool: pg.Pool,
  exceptId: string | null,
): Promise<{ id: string; lapsed: boolean }[]> {
  const { rows } = await pool.query<{ id: string; lapsed: boolean }>({
    name: 'absent-workers',
    text: `select w.id, w.lease_until < now() as lapsed from worker w
           where w.id is distinct from $1 and (w.lease_until < now() or ${unlocked})`,
    values: [exceptId],
  });
  return rows;
}

/** Locks the row of a worker that is still absent; false where it came back, is gone, or somebody else is at it. */
export async function lockAbsentWorker(transaction: Transaction<Schema>, id: string): Promise<boolean> {
  const { rows } = await sql`
    select from worker w where w.id = ${id} and (w.lease_until < now() or ${sql.raw(unlocked)})
    for update skip locked`.execute(transaction);
  return rows.length === 1;
}

/** Takes the worker off the list, and with it the places of its lanes. */
export async function removeWorker(transaction: Transaction<Schema>, id: string): Promise<void> {
  await transaction.deleteFrom('worker').where('id', '=', id).execute();
}
