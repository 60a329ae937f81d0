import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { embeddedAccess } from '../../src/store/connection.ts';
import { findPostmaster } from '../../src/store/embedded/postmaster.ts';
import { type EmbeddedServer, openEmbedded } from '../../src/store/embedded/server.ts';
import { migrate } from '../../src/store/migrate.ts';
import { caseOf, RunWorld } from '../run-world.ts';
import { systemClock } from '../system-ports.ts';
import { removeHome, temporaryHome } from '../temporary-home.ts';

let home: string;
let server: EmbeddedServer;
let world: RunWorld;
beforeAll(async () => {
  home = await temporaryHome();
  server = await openEmbedded({ home, fsync: true });
  const access = embeddedAccess({ connection: (role) => server.connection(role) });
  await migrate(access);
  world = await RunWorld.open(access);
});
afterAll(async () => {
  await world.close();
  await server.stop({ wait: true });
  await removeHome(home);
});

/** Passing, failing and broken cases, and one of several conversations now and then. */
const cases = Array.from({ length: 100 }, (_, index) => {
  const wait = `wait ${120 + (index % 5) * 20} then`;
  if (index % 10 === 3) return caseOf(`${wait} nothing`);
  if (index % 25 === 7) return caseOf(`${wait} fail as it should`);
  return caseOf(`${wait} echo {{run}}`, index % 20 === 11 ? { repeat: 2 } : {});
});
const verdicts = async (runId: string) =>
  (await world.results(runId)).map(({ seq, status, outcome, reason }) => ({ seq, status, outcome, reason }));

let undisturbed: Awaited<ReturnType<typeof verdicts>> = [];

test('a run that nothing disturbs', async () => {
  await world.startWorker();
  const runId = await world.startRun({ cases, parallel: 4 });
  await world.ended(runId, 60_000);
  await world.stopWorkers();
  undisturbed = await verdicts(runId);
  expect(new Set(undisturbed.map(({ outcome }) => outcome))).toEqual(new Set(['passed', 'failed', 'error']));
});

async function startProcess(): Promise<ChildProcess> {
  const script = fileURLToPath(new URL('worker-process.ts', import.meta.url));
  const child = fork(script, [home], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  await once(child, 'message');
  return child;
}

async function kill(child: ChildProcess): Promise<void> {
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}

/** Waits until so many cases have their result. */
async function recorded(runId: string, count: number): Promise<void> {
  const giveUpAt = Date.now() + 60_000;
  while ((await world.state(runId)).done < count) {
    if (Date.now() > giveUpAt) throw new Error(`stuck at ${JSON.stringify(await world.state(runId))}`);
    await systemClock.sleep(10, new AbortController().signal);
  }
}

/** Each case has one result that counts, with the conversations it should have. */
async function expectRecordedOnce(runId: string): Promise<void> {
  expect(await verdicts(runId)).toEqual(undisturbed);
  const results = new Map((await world.results(runId)).map((result) => [result.id, result]));
  const executions = await world.executions(runId);
  for (const { id, seq, attempt } of results.values()) {
    const counted = executions.filter((each) => each.result_id === id && each.attempt === attempt);
    expect(counted.map(({ outcome }) => outcome !== null)).toEqual(
      Array.from({ length: cases[seq - 1]?.repeat ?? 0 }, () => true),
    );
    const runTexts = executions.filter((each) => each.result_id === id).map(({ run_text }) => run_text);
    expect(new Set(runTexts).size).toBe(runTexts.length);
    for (const { events } of counted)
      expect(events.map((event) => event.seq)).toEqual(events.map((_, at) => at + 1));
  }
}

test('a worker that is killed ten times leaves every case recorded once, with the verdict it should have', async () => {
  const kills = 10;
  const parallel = 4;
  const runId = await world.startRun({ cases, parallel });
  for (let round = 1; round <= kills; round++) {
    const child = await startProcess();
    await recorded(runId, round * 8);
    await kill(child);
  }
  const last = await startProcess();
  await world.ended(runId, 60_000);
  await kill(last);
  await expectRecordedOnce(runId);
  const state = await world.state(runId);
  expect(state).toMatchObject({ status: 'finished', outcome: 'error', done: 100 });
  // only what was under way ran again
  const again = (await world.results(runId)).filter(({ attempt }) => attempt > 1);
  expect(again.length).toBeLessThanOrEqual(kills * parallel);
  expect(again.length).toBeGreaterThan(0);
});

test('a run goes on by itself after the database crashed', async () => {
  await world.startWorker();
  const runId = await world.startRun({ cases, parallel: 4 });
  await recorded(runId, 20);
  const postmaster = await findPostmaster(server.dataDirectory);
  process.kill(postmaster?.pid ?? 0, 'SIGKILL');
  await expect
    .poll(
      () =>
        world.state(runId).then(
          ({ status }) => status,
          () => 'away',
        ),
      { timeout: 120_000, interval: 200 },
    )
    .toBe('finished');
  await world.stopWorkers();
  await expectRecordedOnce(runId);
});
