import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type TestDatabase, testDatabase } from '../../../test/database.ts';
import { caseOf, RunWorld } from '../../../test/run-world.ts';
import { AssayError } from '../../core/errors.ts';
import { systemClock, systemRandom } from '../../net/system-ports.ts';
import type { RunState } from '../../store/test-run.ts';
import { registerWorker } from '../../store/worker.ts';
import { type PlacedEvent, runEnds, type WatchedRun, watchRun } from './progress.ts';

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

const never = new AbortController().signal;
const parts = () => ({ database: world.database, clock: systemClock });

async function* follow(
  runId: string,
  signal = never,
  workspaceId = world.workspaceId,
): AsyncGenerator<RunState, void, void> {
  for await (const { event } of watchRun(parts(), { workspaceId, runId, results: 'none' }, signal)) {
    if (event.type === 'progress') yield event;
  }
}

function watch(runId: string, results: WatchedRun['results'] = 'all', signal = never) {
  return watchRun(parts(), { workspaceId: world.workspaceId, runId, results }, signal);
}

async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const taken: Item[] = [];
  for await (const item of items) taken.push(item);
  return taken;
}

const seqsOf = (events: readonly PlacedEvent[]) =>
  events.flatMap(({ event }) => (event.type === 'result' ? [event.seq] : []));

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
  await world.cancel(runId);
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

describe('the results of a run', () => {
  test('come once each, in the order of their recording, and before the end of the run', async () => {
    const cases = [300, 10, 200, 100].map((ms) => caseOf(`wait ${ms} then echo it`));
    const runId = await world.startRun({ cases: [...cases, caseOf('nothing')], parallel: 5 });
    const watching = all(watch(runId));
    await world.startWorker();
    const events = await watching;
    expect(seqsOf(events).toSorted()).toEqual([1, 2, 3, 4, 5]);
    expect(seqsOf(events).slice(-3)).toEqual([4, 3, 1]);
    expect(events.at(-1)?.event).toMatchObject({ type: 'progress', status: 'finished', done: 5 });
    expect(events.map(({ event }) => event)).toContainEqual({
      type: 'result',
      id: expect.any(String),
      seq: 5,
      testCase: { id: expect.any(String), name: 'case 5' },
      outcome: 'failed',
      reason: expect.stringContaining('echo'),
      durationMs: expect.any(Number),
    });
  });

  test('are never behind what the progress says is done', async () => {
    const cases = Array.from({ length: 40 }, (_, index) => caseOf(`wait ${(index * 7) % 50} then echo it`));
    const runId = await world.startRun({ cases, parallel: 8 });
    const watching = all(watch(runId));
    await world.startWorker({ lanes: 4 });
    await world.startWorker({ lanes: 4 });
    let heard = 0;
    for (const { event } of await watching) {
      if (event.type === 'result') heard += 1;
      else expect(event.done).toBe(heard);
    }
    expect(heard).toBe(40);
  });

  test('go on behind any place, while two workers record at once', async () => {
    const cases = Array.from({ length: 120 }, (_, index) => caseOf(`wait ${(index * 13) % 30} then echo it`));
    const runId = await world.startRun({ cases, parallel: 16 });
    const whole = all(watch(runId));
    await world.startWorker({ lanes: 8 });
    await world.startWorker({ lanes: 8 });
    const resumed: number[] = [];
    for (let from: WatchedRun['results'] = 'all', over = false, take = 1; !over; take = (take * 3) % 17) {
      let taken = 0;
      for await (const { place, event } of watch(runId, from)) {
        from = place;
        if (event.type === 'result') resumed.push(event.seq);
        else over = event.status === 'finished';
        taken += 1;
        if (taken >= take) break;
      }
    }
    expect(resumed).toEqual(seqsOf(await whole));
    expect(new Set(resumed).size).toBe(120);
  });

  test('that a cancelled run will never have come as cancelled, after those that it has', async () => {
    const cases = [caseOf('echo it'), caseOf('hang'), caseOf('hang'), caseOf('echo it')];
    const runId = await world.startRun({ cases, parallel: 2 });
    await world.startWorker();
    const events: PlacedEvent[] = [];
    for await (const each of watch(runId)) {
      events.push(each);
      if (each.event.type === 'result' && each.event.seq === 1) await world.cancel(runId);
    }
    expect(seqsOf(events)).toEqual([1, 2, 3, 4]);
    const outcomes = events.flatMap(({ event }) => (event.type === 'result' ? [event.outcome] : []));
    expect(outcomes).toEqual(['passed', 'cancelled', 'cancelled', 'cancelled']);
    expect(events.at(-1)?.event).toMatchObject({ status: 'cancelled' });
  });

  test('that are there already are left out where only new ones are asked for', async () => {
    const cases = [caseOf('echo it'), caseOf('wait 400 then echo it')];
    const runId = await world.startRun({ cases });
    await world.startWorker();
    await expect.poll(async () => (await world.state(runId)).done).toBe(1);
    expect(seqsOf(await all(watch(runId, 'new')))).toEqual([2]);
    expect(seqsOf(await all(watch(runId, 'new')))).toEqual([]);
  });

  test('are read only as far as somebody takes them', async () => {
    const cases = Array.from({ length: 1_200 }, () => caseOf('echo it'));
    const runId = await world.startRun({ cases, lanes: 0 });
    await world.cancel(runId);
    const events = watch(runId);
    const taken = [(await events.next()).value as PlacedEvent];
    await world.database.systemPool.query(`update test_result set case_name = 'late' where run_id = $1`, [
      runId,
    ]);
    taken.push(...(await all(events)));
    expect(seqsOf(taken)).toEqual(cases.map((_, index) => index + 1));
    const early = taken.filter(({ event }) => event.type === 'result' && event.testCase.name !== 'late');
    expect(early.length).toBeGreaterThan(0);
    expect(early.length).toBeLessThanOrEqual(500);
    expect(taken.at(-1)?.event).toMatchObject({ status: 'cancelled' });
  });
});

test('who stops listening gets the reason why the listening ended', async () => {
  const runId = await world.startRun({ cases: [caseOf('echo a')] });
  const stopping = new AbortController();
  const watching = all(watch(runId, 'all', stopping.signal));
  stopping.abort(new AssayError('unavailable', 'The server stops.'));
  await expect(watching).rejects.toMatchObject({ code: 'unavailable' });
});

describe('waiting for the end of a run', () => {
  const wait = (runId: string, forMs: number, signal = never) =>
    runEnds(parts(), { workspaceId: world.workspaceId, runId }, forMs, signal);

  test('is over with the run', async () => {
    await world.startWorker();
    const runId = await world.startRun({ cases: [caseOf('wait 100 then echo a')] });
    await wait(runId, 600_000);
    expect(await world.state(runId)).toMatchObject({ status: 'finished' });
  });

  test('is over when its time is, or nobody waits any more', async () => {
    const runId = await world.startRun({ cases: [caseOf('echo a')] });
    await wait(runId, 100);
    await wait(runId, 600_000, AbortSignal.timeout(100));
    expect(await world.state(runId)).toMatchObject({ status: 'queued' });
  });
});
