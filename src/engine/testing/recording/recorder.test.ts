import { afterAll, beforeAll, expect, test } from 'vitest';
import { type TestDatabase, testDatabase } from '../../../../test/database.ts';
import { caseOf, RunWorld } from '../../../../test/run-world.ts';
import { systemClock, systemRandom } from '../../../net/system-ports.ts';
import { type ClaimedCase, claimCases } from '../../../store/test-result.ts';
import { Recorder } from './recorder.ts';

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
const verdict = { outcome: 'passed' as const, reason: '' };
const ended = { status: 'completed' as const, endReason: null, finishedAt: now, durationMs: 1 };
const used = { inputTokens: 1, outputTokens: 1, costUsd: null };
const evaluation = { ...verdict, reasonCode: '', reasonParams: '{}', checks: '[]', evaluator: null };

async function recordedCase() {
  const runId = await world.startRun({ cases: [caseOf('echo a')], lanes: 0 });
  const workerId = await world.idleWorker();
  const demand = [{ workspaceId: world.workspaceId, runId, count: 1 }];
  const [claimed] = await claimCases(world.database.systemPool, workerId, demand);
  const recorder = new Recorder({
    database: world.database,
    clock: systemClock,
    workerId,
    onSettled: () => {},
    report: () => {},
  });
  const recording = recorder.open(claimed as ClaimedCase, new AbortController());
  const execution = recording.startExecution({
    id: systemRandom.id(),
    resultId: claimed?.id ?? '',
    ordinal: 1,
    kind: 'conversation',
    runText: 'abc123',
    contentHash: 'hash',
    agentVersionId: systemRandom.id(),
    agentVersion: 'v1',
    model: 'offline',
    ...ended,
    ...used,
    status: 'running',
    startedAt: now,
  });
  const pass = () => {
    execution.end({ ...ended, ...used, evaluationId: systemRandom.id(), ...evaluation });
    recording.end({ ...verdict, startedAt: now, finishedAt: now, durationMs: 1 });
  };
  return { runId, recorder, execution, pass };
}

test('a verdict that is given while the trace turns out to be lost does not stand', async () => {
  const { runId, recorder, execution, pass } = await recordedCase();
  const holder = await world.database.systemPool.connect();
  await holder.query('begin');
  await holder.query('select from test_result where run_id = $1 for update', [runId]);
  execution.event('{"seq":1} and what no database takes for an event');
  const waiting = `select from pg_stat_activity
                   where datname = current_database() and wait_event_type = 'Lock'`;
  await expect.poll(async () => (await world.database.systemPool.query(waiting)).rowCount).toBe(1);
  // its beginning is being written
  pass();
  await holder.query('commit');
  holder.release();
  await recorder.drain();

  const reason = expect.stringContaining('could not be stored');
  expect(await world.results(runId)).toMatchObject([{ status: 'done', outcome: 'error', reason }]);
  expect(await world.executions(runId)).toMatchObject([
    { status: 'completed', outcome: 'error', events: [] },
  ]);
});

test('a trace that is lost at the end of its case takes the verdict along', async () => {
  const { runId, recorder, execution, pass } = await recordedCase();
  execution.event('not an event');
  pass();
  await recorder.drain();
  expect(await world.results(runId)).toMatchObject([{ status: 'done', outcome: 'error' }]);
  expect(await world.executions(runId)).toMatchObject([
    { status: 'completed', outcome: 'error', events: [] },
  ]);
});
