import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Installation, root } from '../e2e/installation.ts';
import type { RunWorld } from '../run-world.ts';
import { type DurablePlace, durablePlace } from './durable-place.ts';
import { expectRecordedOnce, recorded, verdictsOf } from './recorded-once.ts';

const tool = 'trigger-long-running-operation';

/** Passing, failing and broken cases that take 100 to 180 ms each, now and then with two conversations. */
const cases = Array.from({ length: 100 }, (_, index) => {
  const name = `case ${index + 1}`;
  const request = `Trigger the long running operation with duration ${0.1 + (index % 5) / 50} and steps 1`;
  return {
    kind: 'test-case',
    name,
    agent: index % 25 === 7 ? 'keyless' : 'patient',
    environment: 'dev',
    conversation: { type: 'single', request: `${request} for {{run}}` },
    repeat: index % 20 === 11 ? 2 : 1,
    checks: [index % 10 === 3 ? { type: 'tool_not_called', tool } : { type: 'tool_called', tool }],
  };
});
const objects = [
  {
    kind: 'mcp-server',
    name: 'everything',
    transport: {
      type: 'stdio',
      command: process.execPath,
      args: [join(root, 'node_modules/@modelcontextprotocol/server-everything/dist/index.js'), 'stdio'],
    },
    isolation: 'run',
  },
  ...[
    { name: 'patient', model: 'offline', mcpServers: ['everything'] },
    { name: 'keyless', model: 'openai:gpt-5-mini', mcpServers: ['everything'] },
  ].map(({ name, ...version }) => ({
    kind: 'agent',
    name,
    versions: [{ name: 'v1', status: 'active', instructions: 'Help.', ...version }],
    deployments: { dev: 'v1' },
  })),
  ...cases,
  { kind: 'test-suite', name: 'hundred', testCaseIds: cases.map(({ name }) => name) },
];

let durable: DurablePlace;
let place: Installation;
let world: RunWorld;
beforeAll(async () => {
  durable = await durablePlace(objects);
  ({ place, world } = durable);
});
afterAll(() => durable.remove());

const parallel = 4;

async function startRun(): Promise<string> {
  const args = ['test', 'run', '--suite', 'hundred', '--parallel', String(parallel), '--json'];
  const { code, stdout, stderr } = await place.assay(args);
  expect({ code, stderr }).toMatchObject({ code: 0 });
  return JSON.parse(stdout).id;
}

async function startWorker(): Promise<{ end(signal: NodeJS.Signals): Promise<void> }> {
  const worker = place.start(['worker']);
  await worker.said('stderr', /Working on runs/);
  return {
    end: async (signal) => {
      const gone = once(worker.process, 'exit');
      worker.process.kill(signal);
      await gone;
    },
  };
}

let undisturbed: Awaited<ReturnType<typeof verdictsOf>> = [];

test('a run that nothing disturbs', async () => {
  const runId = await startRun();
  const worker = await startWorker();
  await world.ended(runId, 100_000);
  await worker.end('SIGTERM');
  undisturbed = await verdictsOf(world, runId);
  const outcomes = Map.groupBy(undisturbed, ({ outcome }) => outcome);
  expect([
    outcomes.get('passed')?.length,
    outcomes.get('failed')?.length,
    outcomes.get('error')?.length,
  ]).toEqual([86, 10, 4]);
});

test('a worker that is killed ten times leaves every case recorded once, with the verdict it should have', async () => {
  const kills = 10;
  const runId = await startRun();
  for (let round = 1; round <= kills; round++) {
    const worker = await startWorker();
    await recorded(world, runId, round * 8);
    await worker.end('SIGKILL');
  }
  const last = await startWorker();
  await world.ended(runId, 100_000);
  await last.end('SIGTERM');

  await expectRecordedOnce(world, runId, undisturbed);
  expect(await world.state(runId)).toMatchObject({
    status: 'finished',
    outcome: 'error',
    done: 100,
    workers: 0,
  });
  // only what was under way ran again
  const again = (await world.results(runId)).filter(({ attempt }) => attempt > 1);
  expect(again.length).toBeGreaterThan(0);
  expect(again.length).toBeLessThanOrEqual(kills * parallel);
});
