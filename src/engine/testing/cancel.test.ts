import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type TestDatabase, testDatabase } from '../../../test/database.ts';
import { caseOf, RunWorld } from '../../../test/run-world.ts';
import { scriptedSubject } from '../../../test/scripted-subject.ts';
import { verifies } from '../../../test/verifies.ts';
import { systemRandom } from '../../net/system-ports.ts';
import { cancelRun } from './cancel.ts';

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

const cancel = (runId: string, workspaceId = world.workspaceId) =>
  world.database.inWorkspace(workspaceId, (transaction) =>
    cancelRun(transaction, { workspaceId, runId }, { principal: 'operator:local', random: systemRandom }),
  );

test(verifies('a cancelled run starts no further case and stops the running ones', 'S16', 'O2'), async () => {
  const started: string[] = [];
  const subject = scriptedSubject((text) => started.push(text));
  const ended: number[] = [];
  const open: typeof subject.open = async (agent, session) => ({
    ...(await subject.open(agent, session)),
    close: async () => {
      ended.push(performance.now());
    },
  });
  await world.startWorker({ ports: { subjects: { native: { ...subject, open } } } });
  const requests = ['echo one', 'hang', 'deaf', 'echo never', 'echo nor this'];
  const runId = await world.startRun({ cases: requests.map((request) => caseOf(request)), parallel: 2 });
  await expect.poll(() => started.length).toBe(3);
  await expect.poll(async () => (await world.state(runId)).done).toBe(1);

  const cancelledAt = performance.now();
  expect(await cancel(runId)).toBe(true);
  const state = await world.state(runId);
  expect(state).toMatchObject({ status: 'cancelled', outcome: 'cancelled', done: 5, running: 0 });
  expect(state.totals).toMatchObject({ passed: 1, cancelled: 4 });

  await expect.poll(() => ended.length, { timeout: 3_000 }).toBe(3);
  expect((ended.at(-1) ?? 0) - cancelledAt).toBeLessThan(2_000);
  expect(started).toEqual(['echo one', 'hang', 'deaf']);
  expect((await world.results(runId)).map(({ outcome, reason }) => [outcome, reason])).toEqual([
    ['passed', ''],
    ...Array.from({ length: 4 }, () => ['cancelled', 'The run was cancelled.']),
  ]);
  await expect
    .poll(async () => (await world.executions(runId)).map(({ status }) => status))
    .toEqual(['completed', 'aborted', 'aborted']);
  const [, hung] = await world.executions(runId);
  expect(hung?.events.at(-1)?.data).toEqual({ status: 'aborted', endReason: null });

  const another = await world.startRun({ cases: [caseOf('echo again')] });
  await world.ended(another);
  expect((await world.state(another)).outcome).toBe('passed');
});

test('a run that is over, unknown, or of another workspace is not cancelled', async () => {
  await world.startWorker();
  const runId = await world.startRun({ cases: [caseOf('echo one')] });
  await world.ended(runId);
  expect(await cancel(runId)).toBe(false);
  expect((await world.state(runId)).status).toBe('finished');
  expect(await cancel(systemRandom.id())).toBe(false);

  const open = await world.startRun({ cases: [caseOf('hang')] });
  const other = await world.database.system
    .selectFrom('workspace')
    .select('id')
    .where('name', '=', 'assay')
    .executeTakeFirstOrThrow();
  expect(await cancel(open, other.id)).toBe(false);
  expect((await world.state(open)).status).not.toBe('cancelled');
  expect(await cancel(open)).toBe(true);
});

test('a run that no worker has begun is cancelled as a whole', async () => {
  const runId = await world.startRun({ cases: [caseOf('echo one'), caseOf('echo two')] });
  await cancel(runId);
  await world.startWorker();
  const next = await world.startRun({ cases: [caseOf('echo one')] });
  await world.ended(next);
  expect((await world.results(runId)).map(({ outcome, attempt }) => [outcome, attempt])).toEqual([
    ['cancelled', 0],
    ['cancelled', 0],
  ]);
});
