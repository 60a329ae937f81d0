import { sql, type Transaction } from 'kysely';
import type pg from 'pg';
import type { FrozenWork } from '../core/frozen.ts';
import type { Schema } from './schema.ts';

/** A case that a worker has taken. */
export interface ClaimedCase {
  workspaceId: string;
  runId: string;
  /** Of its result. */
  id: string;
  /** Place in the order of the suite. */
  seq: number;
  /** Counts how often the case was taken, from 1. */
  attempt: number;
  work: FrozenWork;
}

/** Takes the next `count` queued cases of each run, in the order of the suite. Nothing for a worker that somebody has taken
 *  for dead, whether it knows or not: nobody would look after what it took. */
export async function claimCases(
  pool: pg.Pool,
  workerId: string,
  demand: readonly { workspaceId: string; runId: string; count: number }[],
): Promise<ClaimedCase[]> {
  const { rows } = await pool.query<ClaimedCase>({
    name: 'claim-cases',
    // whoever ends the worker waits for the claim, or the claim for them
    text: `
      with living as materialized (select from worker where id = $1 for key share)
      update test_result r
      set status = 'running', attempt = r.attempt + 1, worker = $1, started_at = now()
      where exists (select from living)
        and r.workspace_id = any (array(
          select distinct d."workspaceId" from json_to_recordset($2::json) as d("workspaceId" uuid)))
        and r.id = any (array(
          select q.id
          from json_to_recordset($2::json) as d("workspaceId" uuid, "runId" uuid, count int)
          cross join lateral (
            select t.id from test_result t
            where t.workspace_id = d."workspaceId" and t.run_id = d."runId" and t.status = 'queued'
            order by t.seq limit d.count for update skip locked) q))
      returning r.workspace_id as "workspaceId", r.run_id as "runId", r.id, r.seq, r.attempt, r.frozen_work as work`,
    values: [workerId, JSON.stringify(demand)],
  });
  return rows.sort((left, right) => left.seq - right.seq);
}

/** Puts cases back that this worker has taken and not started: all of them, or all but those it `keeps`. */
export async function handBackCases(
  pool: pg.Pool,
  workerId: string,
  which: { ids: readonly string[] } | { keeps: readonly string[] },
): Promise<void> {
  const [condition, ids] = 'ids' in which ? ['id = any($2)', which.ids] : ['id <> all($2)', which.keeps];
  await pool.query(
    `with mine as materialized (
       select workspace_id, id from test_result
       where worker = $1 and status = 'running' and ${condition}
       order by id for update)
     update test_result r set status = 'queued', attempt = r.attempt - 1, worker = null, started_at = null
     from mine where r.workspace_id = mine.workspace_id and r.id = mine.id`,
    [workerId, ids],
  );
}

/** Puts every case back that this worker was running. The next to take one starts a further attempt. */
export async function requeueCases(transaction: Transaction<Schema>, workerId: string): Promise<void> {
  await sql`
    with theirs as materialized (
      select workspace_id, id from test_result where worker = ${workerId} and status = 'running'
      order by id for update)
    update test_result r set status = 'queued', worker = null, started_at = null
    from theirs where r.workspace_id = theirs.workspace_id and r.id = theirs.id`.execute(transaction);
}
