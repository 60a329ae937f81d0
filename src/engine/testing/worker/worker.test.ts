import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type TestDatabase, testDatabase } from '../../../../test/database.ts';
import { caseOf, RunWorld } from '../../../../test/run-world.ts';
import { scriptedSubject } from '../../../../test/scripted-subject.ts';
import { verifies } from '../../../../test/verifies.ts';
import { systemRandom } from '../../../net/system-ports.ts';
import { claimCases } from '../../../store/test-result.ts';
import { registerWorker } from '../../../store/worker.ts';

let testDb: TestDatabase;
let world: RunWorld;
beforeAll(async () => {
  testDb = await testDatabase();
  world = await RunWorld.open(testDb.access);
});
afterEach(() => world.stopWorkers());
afterAll(async () => {
  await world.close();
  await testDb.drop();
});

const sql = (text: string, values: unknown[] = []) => world.database.systemPool.query(text, values);

/** Ends sessions as the login that opened them: on a server of your own it is not the role that they have taken. */
async function endSessions(from: string): Promise<void> {
  const client = new pg.Client(world.access.config('system'));
  await client.connect();
  await client.query('set role none');
  await client.query(`select pg_terminate_backend(pid) ${from} and pid <> pg_backend_pid()`);
  await client.end();
}

/** Ends the sessions in which workers hold their locks. */
const breakSession = () =>
  endSessions(
    `from pg_locks where locktype = 'advisory' and granted and objsubid = 1
       and database = (select oid from pg_database where datname = current_database())`,
  );

/** A worker that took cases of a run and is no more, or still holds its lock. */
async function strandedWorker(runId: string, count: number, { locked = false } = {}) {
  const id = systemRandom.id();
  const client = world.database.systemClient();
  await client.connect();
  await registerWorker(client, id, 1);
  await claimCases(world.database.systemPool, id, [{ workspaceId: world.workspaceId, runId, count }]);
  await sql('insert into lane (workspace_id, run_id, slot, worker_id) values ($1, $2, 1, $3)', [
    world.workspaceId,
    runId,
    id,
  ]);
  if (!locked) await client.end();
  return { id, release: () => client.end() };
}

describe('a worker that is gone', () => {
  test(
    verifies('has its cases run again when the next one starts, as further conversations', 'M45'),
    async () => {
      const runId = await world.startRun({
        cases: [caseOf('echo {{run}}'), caseOf('echo b')],
        token: 'dead01',
        lanes: 0,
      });
      await strandedWorker(runId, 1);
      await world.startWorker();
      await world.ended(runId);
      const executions = await world.executions(runId);
      expect(executions.map(({ run_text, attempt }) => [run_text, attempt])).toEqual([
        ['dead01-2', 2],
        ['dead01', 1],
      ]);
      expect((await sql('select count(*) from worker')).rows).toEqual([{ count: 1 }]);
    },
  );

  test('is noticed within a second and a half by those that run', async () => {
    await world.startWorker();
    const runId = await world.startRun({ cases: [caseOf('echo a')], lanes: 0 });
    const stranded = await strandedWorker(runId, 1, { locked: true });
    const begun = performance.now();
    await stranded.release();
    await world.ended(runId);
    expect(performance.now() - begun).toBeLessThan(1_500);
    expect(await world.results(runId)).toMatchObject([{ outcome: 'passed', attempt: 2 }]);
  });

  test('counts as gone too when it holds its lock and says nothing for longer than its lease', async () => {
    await world.startWorker();
    const runId = await world.startRun({ cases: [caseOf('echo a')], lanes: 0 });
    const stranded = await strandedWorker(runId, 1, { locked: true });
    await sql("update worker set lease_until = now() - interval '1 second' where id = $1", [stranded.id]);
    await world.ended(runId);
    expect(await world.results(runId)).toMatchObject([{ outcome: 'passed', attempt: 2 }]);
    await stranded.release();
  });

  test('and one that lives is left alone', async () => {
    await world.startWorker();
    const runId = await world.startRun({ cases: [caseOf('echo a')], lanes: 0 });
    const living = await strandedWorker(runId, 1, { locked: true });
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(await world.results(runId)).toMatchObject([{ status: 'running', attempt: 1 }]);
    await living.release();
    await world.ended(runId);
  });
});

test('a run without lanes gets new ones, and one that only lacks its end gets that', async () => {
  const lost = await world.startRun({ cases: [caseOf('echo a'), caseOf('echo b')], parallel: 2, lanes: 0 });
  const unended = await world.startRun({ cases: [caseOf('echo c')], lanes: 0 });
  await sql(
    `with one as (update test_result set status = 'done', outcome = 'passed' where run_id = $1 returning run_id)
     update test_run set remaining = 0, status = 'running' where id in (select run_id from one)`,
    [unended],
  );
  await world.startWorker();
  await world.ended(lost);
  await world.ended(unended);
  expect((await world.state(unended)).outcome).toBe('passed');
});

test('a run whose cases all have a result ends, even where they were miscounted', async () => {
  const runId = await world.startRun({ cases: [caseOf('echo a'), caseOf('echo b')], lanes: 0 });
  await sql("update test_result set status = 'done', outcome = 'failed' where run_id = $1", [runId]);
  await sql("update test_run set remaining = 1, status = 'running' where id = $1", [runId]);
  await world.startWorker();
  await world.ended(runId);
  expect((await world.state(runId)).outcome).toBe('failed');
});

test.each(['frozen_subject', 'prompt'])(
  'a connection that breaks while a case reads %s is no verdict on the case',
  async (table) => {
    const checks = [{ type: 'object_absent' as const, object: 'prompt' as const, name: 'no such prompt' }];
    const runId = await world.startRun({ cases: [caseOf('echo a', { checks })] });
    const holder = new pg.Client(world.access.config('owner'));
    await holder.connect();
    try {
      await holder.query(`begin; lock table assay.${table} in access exclusive mode`);
      await world.startWorker();
      const waiting = `from pg_stat_activity where datname = current_database()
                       and wait_event_type = 'Lock' and query like '%"${table}"%'`;
      await expect.poll(async () => (await sql(`select ${waiting}`)).rowCount).toBe(1);
      await endSessions(waiting);
    } finally {
      await holder.end();
    }
    await world.ended(runId);
    expect(await world.results(runId)).toMatchObject([{ outcome: 'passed', attempt: 1 }]);
  },
);

describe('a worker whose session breaks', () => {
  test('goes on with what it was doing when nobody noticed', async () => {
    await world.startWorker();
    const runId = await world.startRun({ cases: [caseOf('wait 1200 then echo a')] });
    await expect.poll(async () => (await world.state(runId)).running).toBe(1);
    const before = (await sql('select id from worker')).rows;
    await breakSession();
    await world.ended(runId);
    expect(await world.results(runId)).toMatchObject([{ outcome: 'passed', attempt: 1 }]);
    expect((await sql('select id from worker')).rows).toEqual(before);
  });

  test('starts anew under another id when it was taken for dead, and nothing late of it is recorded', async () => {
    const subject = scriptedSubject();
    let conversations = 0;
    const open: typeof subject.open = async (agent, session) => {
      const conversation = await subject.open(agent, session);
      conversations++;
      if (conversations > 1) return conversation;
      const stopped = new Promise((resolve) => session.signal.addEventListener('abort', resolve));
      return { ...conversation, send: (said, at) => stopped.then(() => conversation.send(said, at)) };
    };
    await world.startWorker({ ports: { subjects: { native: { ...subject, open } } } });
    const runId = await world.startRun({ cases: [caseOf('echo a')] });
    await expect.poll(() => conversations).toBe(1);
    const [{ id }] = (await sql('select id from worker')).rows;
    await sql("update test_result set status = 'queued', worker = null where worker = $1", [id]);
    await sql('delete from worker where id = $1', [id]);
    await breakSession();
    await world.ended(runId);
    expect(await world.results(runId)).toMatchObject([{ outcome: 'passed', attempt: 2 }]);
    expect((await world.executions(runId)).filter(({ outcome }) => outcome !== null)).toHaveLength(1);
    expect((await sql('select id from worker')).rows).toHaveLength(1);
    expect((await sql('select id from worker')).rows).not.toEqual([{ id }]);
  });
});

test('a worker that cannot start anew says so, instead of waiting for ever', async () => {
  const owner = new pg.Client(world.access.config('owner'));
  await owner.connect();
  const worker = await world.startWorker();
  await owner.query('revoke insert on assay.worker from assay_system');
  try {
    await sql('delete from worker');
    await breakSession();
    await expect(worker.failed).rejects.toThrow('permission denied for table worker');
  } finally {
    await owner.query('grant insert on assay.worker to assay_system');
    await owner.end();
  }
});

describe('a shutdown', () => {
  test('lets a running case end and hands back what was not started', async () => {
    const started: string[] = [];
    const ports = { subjects: { native: scriptedSubject((text) => started.push(text)) } };
    const worker = await world.startWorker({ ports });
    // short cases first, so that others are claimed ahead of need
    const requests = ['echo 1', 'echo 2', 'echo 3', 'wait 400 then echo 4', 'echo 5', 'echo 6'];
    const runId = await world.startRun({ cases: requests.map((request) => caseOf(request)) });
    await expect.poll(() => started.length).toBe(4);
    await worker.stop();
    expect(started).toHaveLength(4);
    const results = await world.results(runId);
    expect(results.map(({ status, attempt }) => [status, attempt])).toEqual([
      ...Array.from({ length: 4 }, () => ['done', 1]),
      ['queued', 0],
      ['queued', 0],
    ]);
    expect((await sql('select from worker')).rowCount).toBe(0);

    await world.startWorker({ ports });
    await world.ended(runId);
    expect(started).toEqual(requests);
    expect((await world.state(runId)).totals.passed).toBe(6);
  });

  test('stops a case that does not end, which is run again by the next worker', async () => {
    const worker = await world.startWorker();
    const runId = await world.startRun({ cases: [caseOf('wait 3000 then echo a')], token: 'stop01' });
    await expect.poll(async () => (await world.executions(runId)).length).toBe(1);
    const begun = performance.now();
    await worker.stop({ runningMs: 100 });
    expect(performance.now() - begun).toBeLessThan(1_500);
    expect(await world.results(runId)).toMatchObject([{ status: 'queued', attempt: 1 }]);
    expect(await world.executions(runId)).toMatchObject([{ status: 'aborted', outcome: null }]);

    await world.startWorker();
    await world.ended(runId);
    expect(await world.executions(runId)).toMatchObject([
      { status: 'aborted', run_text: 'stop01' },
      { status: 'completed', run_text: 'stop01-2', outcome: 'passed' },
    ]);
  });
});

describe('turns', () => {
  test('a small run gets its turn while a big one is at work', async () => {
    await world.startWorker({ lanes: 3 });
    const cases = Array.from({ length: 400 }, (_, index) => caseOf(`wait 40 then echo ${index}`));
    const big = await world.startRun({ cases, parallel: 3 });
    await expect.poll(async () => (await world.state(big)).done, { timeout: 5_000 }).toBeGreaterThan(10);
    const begun = performance.now();
    const small = await world.startRun({ cases: [caseOf('echo a'), caseOf('echo b')] });
    await world.ended(small);
    expect(performance.now() - begun).toBeLessThan(4_000);
    expect((await world.state(big)).status).toBe('running');
  });

  test('a new run finds room while a big one with long cases has all the lanes it could get', async () => {
    await world.startWorker({ lanes: 8 });
    const cases = Array.from({ length: 20 }, () => caseOf('hang'));
    const big = await world.startRun({ cases, parallel: 8 });
    await expect.poll(async () => (await world.state(big)).running).toBe(7);
    const waiting = async () =>
      (await sql("select from pgboss.job where state < 'active' and data ->> 'runId' = $1", [big])).rowCount;
    await expect.poll(waiting).toBe(1);
    const small = await world.startRun({ cases: [caseOf('echo a')] });
    await world.ended(small);
    expect(await world.state(big)).toMatchObject({ running: 7, done: 0 });
  });

  test('a lane is taken within moments of being queued', async () => {
    await world.startWorker();
    const times: number[] = [];
    for (let round = 0; round < 5; round++) {
      const begun = performance.now();
      await world.ended(await world.startRun({ cases: [caseOf('echo a')] }));
      times.push(performance.now() - begun);
    }
    expect(Math.min(...times)).toBeLessThan(500);
  });
});
