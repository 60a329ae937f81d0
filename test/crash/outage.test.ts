import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '../../src/net/system-ports.ts';
import { type DatabaseAccess, embeddedAccess } from '../../src/store/connection.ts';
import { findPostmaster } from '../../src/store/embedded/postmaster.ts';
import { migrate } from '../../src/store/migrate.ts';
import { caseOf, RunWorld } from '../run-world.ts';
import { removeHome, temporaryHome } from '../temporary-home.ts';
import { expectRecordedOnce, recorded, verdictsOf } from './recorded-once.ts';

let home: string;
let directory: string;
let world: RunWorld;
beforeAll(async () => {
  home = await temporaryHome();
  const access = await startServer();
  await migrate(access);
  world = await RunWorld.open(access);
});
afterAll(async () => {
  await world.close();
  await removeHome(home);
});

/** Starts the database so that nobody starts it again when it stops: that is what this is about. */
async function startServer(): Promise<DatabaseAccess> {
  const script = fileURLToPath(new URL('orphan-server.ts', import.meta.url));
  const said = await new Promise<string>((resolve) => {
    execFile(process.execPath, [script, home], (_, stdout) => resolve(stdout));
  });
  const { directory: data, host, port, database } = JSON.parse(said);
  directory = data;
  return embeddedAccess({ connection: (role) => ({ host, port, database, user: `assay_${role}` }) });
}

async function stopServer(signal: NodeJS.Signals): Promise<void> {
  const postmaster = await findPostmaster(directory);
  process.kill(postmaster?.pid ?? 0, signal);
  while ((await findPostmaster(directory)) !== undefined) await pause(20);
}

const pause = (ms: number) => systemClock.sleep(ms, new AbortController().signal);

const cases = Array.from({ length: 60 }, (_, index) => {
  const wait = `wait ${120 + (index % 5) * 20} then`;
  if (index % 10 === 3) return caseOf(`${wait} nothing`);
  if (index % 25 === 7) return caseOf(`${wait} fail as it should`);
  return caseOf(`${wait} echo {{run}}`);
});
let undisturbed: Awaited<ReturnType<typeof verdictsOf>> = [];

async function ended(runId: string): Promise<void> {
  const status = () =>
    world.state(runId).then(
      (state) => state.status,
      () => 'away',
    );
  await expect.poll(status, { timeout: 60_000, interval: 100 }).toBe('finished');
}

test('a run that nothing disturbs', async () => {
  await world.startWorker();
  const runId = await world.startRun({ cases, parallel: 4 });
  await ended(runId);
  undisturbed = await verdictsOf(world, runId);
});

test.each([
  ['crashes and is back after a second', 'SIGQUIT', 1_000],
  ['is stopped for half a minute', 'SIGINT', 30_000],
] as const)('a run goes on by itself when the database %s', async (_, signal, awayMs) => {
  const runId = await world.startRun({ cases, parallel: 4 });
  await recorded(world, runId, 12);
  await stopServer(signal);
  await pause(awayMs);
  await startServer();
  await ended(runId);
  await expectRecordedOnce(world, runId, undisturbed);
  const next = await world.startRun({ cases: [caseOf('echo still here')] });
  await ended(next);
});
