import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type TestDatabase, testDatabase } from '../../../test/database.ts';
import { caseOf, RunWorld } from '../../../test/run-world.ts';
import { systemClock, systemRandom } from '../../net/system-ports.ts';
import { embeddedAccess } from '../../store/connection.ts';
import type { RunState } from '../../store/test-run.ts';
import { registerWorker } from '../../store/worker.ts';
import { cancelRun } from './cancel.ts';
import { runProgress } from './progress.ts';

let testDb: TestDatabase;
let world: RunWorld;
beforeAll(async () => {
  testDb = await testDatabase();
  world = await RunWorld.open(embeddedAccess({ connection: testDb.connection }));
});
afterEach(() => world.stopWorkers());
afterAll(async () => {
  await world.close();
  await testDb.drop();
});

const follow = (runId: string, signal = new AbortController().signal, workspaceId = world.workspaceId) =>
  runProgress({ database: world.database, clock: systemClock }, { workspaceId, runId }, signal);

async function all(progress: AsyncIterable<RunState>): Promise<RunState[]> {
  const states: RunState[] = [];
  for await (const state of progress) states.push(state);
  return states;
}

test('tells of a run from waiting for a worker to its end', async () => {
  const cases = Array.from({ length: 8 }, (_, index) => caseOf(`wait 300 then echo ${index}`));
  const runId = await world.startRun({ cases, parallel: 2 });
  const progress = follow(runId);
  const first = await progress.next();
  expect(first.value).toMatchObject({ status: 'queued', outcome: null, done: 0, running: 0, workers: 0 });
  const following = all(progress);
  await world.startWorker();
  const states = await following;
  expect(states.at(-1)).toMatchObject({
    status: 'finished',
    outcome: 'passed',
    done: 8,
    running: 0,
    workers: 1,
  });
  expect(states.at(-1)?.totals).toMatchObject({ tests: 8, passed: 8, successRate: 100 });
  const done = states.map((state) => state.done);
  expect(done).toEqual(done.toSorted((left, right) => left - right));
  expect(new Set(done).size).toBeGreaterThan(2);
  expect(Math.max(...states.map(({ running }) => running))).toBe(2);
});

test('of a run that is over comes once', async () => {
  await world.startWorker();
  const runId = await world.startRun({ cases: [caseOf('echo a')] });
  await world.ended(runId);
  expect(await all(follow(runId))).toMatchObject([{ status: 'finished', done: 1 }]);
});

test('ends with a run that is cancelled, soon after it was', async () => {
  const runId = await world.startRun({ cases: [caseOf('echo a')] });
  const following = all(follow(runId));
  await systemClock.sleep(300, new AbortController().signal);
  const begun = performance.now();
  const { workspaceId } = world;
  await world.database.inWorkspace(workspaceId, (transaction) =>
    cancelRun(transaction, { workspaceId, runId }),
  );
  expect((await following).at(-1)).toMatchObject({ status: 'cancelled', outcome: 'cancelled' });
  expect(performance.now() - begun).toBeLessThan(1_000);
});

test('does not count a worker that died without a word', async () => {
  const runId = await world.startRun({ cases: [caseOf('echo a')], lanes: 0 });
  const client = world.database.systemClient();
  await client.connect();
  await registerWorker(client, systemRandom.id(), 1);
  expect((await world.state(runId)).workers).toBe(1);
  await client.end();
  await expect.poll(async () => (await world.state(runId)).workers).toBe(0);
});

test('ends when nobody wants to know any more', async () => {
  const runId = await world.startRun({ cases: [caseOf('echo a')] });
  const controller = new AbortController();
  const following = all(follow(runId, controller.signal));
  await systemClock.sleep(100, new AbortController().signal);
  controller.abort();
  expect(await following).toMatchObject([{ status: 'queued' }]);
});

test('of an unknown run is refused, and so is that of another workspace', async () => {
  await expect(all(follow(systemRandom.id()))).rejects.toMatchObject({ code: 'not_found' });
  const runId = await world.startRun({ cases: [caseOf('echo a')] });
  const { id } = await world.database.system
    .selectFrom('workspace')
    .select('id')
    .where('name', '=', 'assay')
    .executeTakeFirstOrThrow();
  await expect(all(follow(runId, undefined, id))).rejects.toMatchObject({ code: 'not_found' });
});
