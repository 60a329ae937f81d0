import { sql, type Transaction } from 'kysely';
import type pg from 'pg';
import { laneQueue } from './queue.ts';
import type { Schema } from './schema.ts';

/** A place among those that the run's `parallel` allows. */
export interface LanePlace {
  workspaceId: string;
  runId: string;
  slot: number;
}

/** Takes up to `count` free places in each run. Runs that are over are missing in the answer; one whose places are all
 *  taken has no slots. `contested`: another worker was quicker, so there may be free places still. */
export async function takePlaces(
  pool: pg.Pool,
  workerId: string,
  wanted: readonly { workspaceId: string; runId: string; count: number }[],
): Promise<{ runId: string; token: string; slots: number[]; contested: boolean }[]> {
  const { rows } = await pool.query({
    name: 'take-lane-places',
    text: `
      with wanted as materialized (
        select r.workspace_id, r.id, r.token, r.parallel, w.count
        from json_to_recordset($2::json) as w("workspaceId" uuid, "runId" uuid, count int)
        join test_run r on r.workspace_id = w."workspaceId" and r.id = w."runId"
        where r.status in ('queued', 'running')),
      free as materialized (
        select w.workspace_id, w.id, f.slot from wanted w cross join lateral (
          select s as slot from generate_series(1, w.parallel) s
          where not exists (
            select from lane l where l.workspace_id = w.workspace_id and l.run_id = w.id and l.slot = s)
          order by s limit w.count) f),
      taken as (
        insert into lane (workspace_id, run_id, slot, worker_id)
        select workspace_id, id, slot, $1 from free
        on conflict do nothing
        returning run_id, slot),
      begun as (
        update test_run r set status = 'running', started_at = now()
        from wanted w
        where r.workspace_id = w.workspace_id and r.id = w.id and r.status = 'queued'
          and exists (select from taken t where t.run_id = w.id))
      select w.id as "runId", w.token,
        array(select t.slot from taken t where t.run_id = w.id order by t.slot) as slots,
        (select count(*) from free f where f.id = w.id) > (select count(*) from taken t where t.run_id = w.id)
          as contested
      from wanted w`,
    values: [workerId, JSON.stringify(wanted)],
  });
  return rows;
}

/** Gives places back. */
export async function leavePlaces(
  pool: pg.Pool,
  workerId: string,
  places: readonly LanePlace[],
): Promise<void> {
  await pool.query({
    name: 'leave-lane-places',
    text: `
      delete from lane l using json_to_recordset($2::json) as ${placeColumns}
      where l.worker_id = $1 and ${samePlace}`,
    values: [workerId, JSON.stringify(places)],
  });
}

/** Gives all places of this worker back but these. */
export async function leaveOtherPlaces(
  pool: pg.Pool,
  workerId: string,
  kept: readonly LanePlace[],
): Promise<void> {
  await pool.query(
    `delete from lane l
     where l.worker_id = $1
       and not exists (select from json_to_recordset($2::json) as ${placeColumns} where ${samePlace})`,
    [workerId, JSON.stringify(kept)],
  );
}

const placeColumns = 'p("workspaceId" uuid, "runId" uuid, slot int)';
const samePlace = 'l.workspace_id = p."workspaceId" and l.run_id = p."runId" and l.slot = p.slot';

/** Gives one place back as a part of something bigger; false where it was not this worker's any more. */
export async function leavePlace(
  transaction: Transaction<Schema>,
  workerId: string,
  { workspaceId, runId, slot }: LanePlace,
): Promise<boolean> {
  const { numDeletedRows } = await transaction
    .deleteFrom('lane')
    .where('workspace_id', '=', workspaceId)
    .where('run_id', '=', runId)
    .where('slot', '=', slot)
    .where('worker_id', '=', workerId)
    .executeTakeFirst();
  return numDeletedRows === 1n;
}

/** A lane that any worker has room for is taken within moments. */
const waitsMs = 100;

/** The runs that have lanes for which no worker has room. */
export async function waitingRuns(pool: pg.Pool): Promise<string[]> {
  const { rows } = await pool.query<{ runId: string }>({
    name: 'waiting-runs',
    text: `select distinct data ->> 'runId' as "runId" from pgboss.job
           where name = $1 and state < 'active' and created_on < now() - make_interval(secs => $2)`,
    values: [laneQueue, waitsMs / 1_000],
  });
  return rows.map(({ runId }) => runId);
}

/** Any fixed number: one process at a time looks for missing lanes. */
const missingLanesLock = 4_710_002;

/** False while another transaction makes missing lanes. */
export async function lockMissingLanes(transaction: Transaction<Schema>): Promise<boolean> {
  const { rows } = await sql<{ first: boolean }>`
    select pg_try_advisory_xact_lock(${missingLanesLock}) as first`.execute(transaction);
  return rows[0]?.first === true;
}

/** How many lanes each open run lacks: those that its queued cases could use, less those that work or wait. */
export async function missingLanes(
  transaction: Transaction<Schema>,
): Promise<{ workspaceId: string; runId: string; count: number }[]> {
  const { rows } = await sql<{ workspaceId: string; runId: string; count: number }>`
    select workspace_id as "workspaceId", id as "runId", missing::int as count
    from (
      select r.workspace_id, r.id,
        least(
          r.parallel - (select count(*) from lane l where l.workspace_id = r.workspace_id and l.run_id = r.id),
          (select count(*) from (
            select from test_result q
            where q.workspace_id = r.workspace_id and q.run_id = r.id and q.status = 'queued'
            limit r.parallel) queued)
        ) - coalesce(w.waiting, 0) as missing
      from test_run r
      left join (
        select data ->> 'runId' as run_id, count(*) as waiting
        from pgboss.job where name = ${laneQueue} and state < 'active' group by 1) w on w.run_id = r.id::text
      where r.status in ('queued', 'running') and r.remaining > 0) counted
    where missing > 0`.execute(transaction);
  return rows;
}
