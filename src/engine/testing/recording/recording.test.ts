import { afterAll, beforeAll, expect, test } from 'vitest';
import { type TestDatabase, testDatabase } from '../../../../test/database.ts';
import { caseOf, RunWorld } from '../../../../test/run-world.ts';
import { systemRandom } from '../../../net/system-ports.ts';
import { type CaseRecord, recordCases } from '../../../store/record.ts';
import { type ClaimedCase, claimCases, handBackCases, requeueCases } from '../../../store/test-result.ts';
import { cancelOpenRun } from '../../../store/test-run.ts';

let testDb: TestDatabase;
let world: RunWorld;
beforeAll(async () => {
  testDb = await testDatabase();
  world = await RunWorld.open(testDb.access);
});
afterAll(async () => {
  await world.close();
  await testDb.drop();
});

const now = new Date().toISOString();

/** One finished conversation of the case, with two events. */
function recordOf(
  { workspaceId, id, attempt }: ClaimedCase,
  outcome: 'passed' | 'failed' = 'passed',
): CaseRecord {
  const [executionId, evaluationId] = [systemRandom.id(), systemRandom.id()];
  return {
    workspaceId,
    id,
    attempt,
    executions: [
      {
        id: executionId,
        resultId: id,
        ordinal: attempt,
        kind: 'conversation',
        runText: 'abc123',
        contentHash: 'hash',
        agentVersionId: systemRandom.id(),
        agentVersion: 'v1',
        model: 'offline',
        status: 'completed',
        endReason: null,
        inputTokens: 1,
        outputTokens: 1,
        costUsd: null,
        startedAt: now,
        finishedAt: now,
        durationMs: 1,
        evaluationId,
        outcome,
        reason: '',
        reasonCode: '',
        reasonParams: '{}',
        checks: '[]',
        evaluator: null,
      },
    ],
    batches: [{ executionId, resultId: id, firstSeq: 1, events: '[{"seq":1},{"seq":2}]' }],
    result: { outcome, reason: '', startedAt: now, finishedAt: now, durationMs: 1 },
  };
}

async function claim(worker: string, runId: string, count: number) {
  return claimCases(world.database.systemPool, worker, [{ workspaceId: world.workspaceId, runId, count }]);
}
const record = (worker: string, records: CaseRecord[]) =>
  recordCases(world.database.systemPool, worker, records);
const requeue = (worker: string) =>
  world.database.system.transaction().execute((transaction) => requeueCases(transaction, worker));

test('a worker that was taken for dead takes no further case', async () => {
  const worker = await world.idleWorker();
  const runId = await world.startRun({ cases: [caseOf('echo a'), caseOf('echo b')], lanes: 0 });
  expect(await claim(worker, runId, 1)).toHaveLength(1);
  await world.database.system.deleteFrom('worker').where('id', '=', worker).execute();
  expect(await claim(worker, runId, 1)).toEqual([]);
});

test('whoever lost a case writes nothing of it any more', async () => {
  const [late, next] = [await world.idleWorker(), await world.idleWorker()];
  const runId = await world.startRun({ cases: [caseOf('echo a')], lanes: 0 });
  const [lost] = await claim(late, runId, 1);
  await requeue(late);
  const [taken] = await claim(next, runId, 1);
  expect(taken).toMatchObject({ id: lost?.id, attempt: 2 });

  const refused = await record(late, [recordOf(lost as ClaimedCase, 'failed')]);
  expect(refused).toEqual({ live: new Map(), complete: [] });
  expect(await world.executions(runId)).toEqual([]);

  const accepted = await record(next, [recordOf(taken as ClaimedCase)]);
  expect(accepted.live).toEqual(new Map([[taken?.id, true]]));
  expect(accepted.complete).toEqual([{ workspaceId: world.workspaceId, runId }]);
  expect(await world.results(runId)).toMatchObject([{ outcome: 'passed', attempt: 2, status: 'done' }]);
  expect(await world.executions(runId)).toHaveLength(1);
});

test('a result is recorded once, however often it is sent', async () => {
  const worker = await world.idleWorker();
  const runId = await world.startRun({ cases: [caseOf('echo a'), caseOf('echo b')], lanes: 0 });
  const [first] = await claim(worker, runId, 1);
  const written = recordOf(first as ClaimedCase);
  await record(worker, [written]);
  expect((await record(worker, [written])).live).toEqual(new Map());
  expect(await world.executions(runId)).toHaveLength(1);
  const run = await world.database.system
    .selectFrom('test_run')
    .select(['remaining', 'status'])
    .where('id', '=', runId)
    .executeTakeFirst();
  expect(run?.remaining).toBe(1);
});

test('of many in one statement each is taken or refused by itself', async () => {
  const [mine, other] = [await world.idleWorker(), await world.idleWorker()];
  const runId = await world.startRun({
    cases: [1, 2, 3, 4].map((place) => caseOf(`echo ${place}`)),
    lanes: 0,
  });
  const taken = await claim(mine, runId, 3);
  expect(taken.map(({ seq }) => seq)).toEqual([1, 2, 3]);
  const theirs = await claim(other, runId, 5);
  expect(theirs.map(({ seq }) => seq)).toEqual([4]);
  const { live } = await record(
    mine,
    [...taken, ...theirs].map((each) => recordOf(each)),
  );
  expect([...live.values()]).toEqual([true, true, true]);
  expect((await world.results(runId)).map(({ status }) => status)).toEqual([
    'done',
    'done',
    'done',
    'running',
  ]);
});

test('two workers that record cases of one run at once both count', async () => {
  const workers = [await world.idleWorker(), await world.idleWorker()];
  const runId = await world.startRun({ cases: [caseOf('echo a'), caseOf('echo b')], lanes: 0 });
  const taken: [string, ClaimedCase][] = [];
  for (const worker of workers)
    for (const claimed of await claim(worker, runId, 1)) taken.push([worker, claimed]);

  // both have looked at the run, and wait for it, before either writes
  const holder = await world.database.systemPool.connect();
  await holder.query('begin');
  await holder.query('select from test_run where id = $1 for update', [runId]);
  const recording = taken.map(([worker, claimed]) => record(worker, [recordOf(claimed)]));
  await expect
    .poll(async () => {
      const waiting = await world.database.systemPool.query(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
      return waiting.rowCount;
    })
    .toBe(2)
    .finally(async () => {
      await holder.query('commit');
      holder.release();
    });

  const recorded = await Promise.all(recording);
  expect(recorded.flatMap(({ complete }) => complete)).toEqual([{ workspaceId: world.workspaceId, runId }]);
  const results = await world.results(runId);
  expect(results.map(({ outcome }) => outcome)).toEqual(['passed', 'passed']);
  expect(results.map(({ recorded }) => recorded).toSorted()).toEqual([1, 2]);
  const { rows } = await world.database.systemPool.query('select remaining from test_run where id = $1', [
    runId,
  ]);
  expect(rows).toEqual([{ remaining: 0 }]);
});

test('of a cancelled run the trace is taken, and the result stays cancelled', async () => {
  const worker = await world.idleWorker();
  const runId = await world.startRun({ cases: [caseOf('echo a')], lanes: 0 });
  const [taken] = await claim(worker, runId, 1);
  const key = { workspaceId: world.workspaceId, runId };
  await world.database.inWorkspace(world.workspaceId, (transaction) =>
    cancelOpenRun(transaction, key, 'Stopped.'),
  );
  const { live, complete } = await record(worker, [recordOf(taken as ClaimedCase)]);
  expect(live).toEqual(new Map([[taken?.id, false]]));
  expect(complete).toEqual([]);
  expect(await world.results(runId)).toMatchObject([{ outcome: 'cancelled', reason: 'Stopped.' }]);
  expect((await world.executions(runId))[0]?.events).toEqual([{ seq: 1 }, { seq: 2 }]);
});

test('a case that is handed back unstarted counts no attempt', async () => {
  const worker = await world.idleWorker();
  const runId = await world.startRun({ cases: [1, 2, 3].map((place) => caseOf(`echo ${place}`)), lanes: 0 });
  const [first, second] = await claim(worker, runId, 3);
  await handBackCases(world.database.systemPool, worker, { ids: [second?.id ?? ''] });
  await handBackCases(world.database.systemPool, worker, { keeps: [first?.id ?? ''] });
  const results = await world.results(runId);
  expect(results.map(({ status, attempt }) => [status, attempt])).toEqual([
    ['running', 1],
    ['queued', 0],
    ['queued', 0],
  ]);
});
