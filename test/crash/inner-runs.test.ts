import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Installation, root } from '../e2e/installation.ts';
import type { RunWorld } from '../run-world.ts';
import { type DurablePlace, durablePlace } from './durable-place.ts';

const objects = [
  { kind: 'mcp-server', name: 'assay', transport: { type: 'builtin' }, profile: 'long' },
  {
    kind: 'mcp-server',
    name: 'everything',
    transport: {
      type: 'stdio',
      command: process.execPath,
      args: [join(root, 'node_modules/@modelcontextprotocol/server-everything/dist/index.js'), 'stdio'],
    },
  },
  {
    kind: 'agent',
    name: 'tester',
    versions: [
      {
        name: 'v1',
        status: 'active',
        model: 'offline',
        instructions: 'Test.',
        mcpServers: ['assay', 'everything'],
      },
    ],
    deployments: { dev: 'v1' },
  },
  ...suite('inner', 'Trigger the long running operation with duration 3 and steps 1', [
    { type: 'tool_called', tool: 'trigger-long-running-operation' },
  ]),
  ...suite('outer', 'Run the test suite "inner" with wait seconds 60', [
    { type: 'tool_called', tool: 'run-test-suite' },
  ]),
];

function suite(name: string, request: string, checks: object[]) {
  return [
    {
      kind: 'test-case',
      name,
      agent: 'tester',
      environment: 'dev',
      conversation: { type: 'single', request },
      checks,
    },
    { kind: 'test-suite', name, testCaseIds: [name] },
  ];
}

let durable: DurablePlace;
let place: Installation;
let world: RunWorld;
beforeAll(async () => {
  durable = await durablePlace(objects);
  ({ place, world } = durable);
});
afterAll(() => durable.remove());

async function startWorker() {
  const worker = place.start(['worker'], { env: { ASSAY_WORKER_LANES: '1' } });
  await worker.said('stderr', /Working on runs/);
  return async (signal: NodeJS.Signals) => {
    const gone = once(worker.process, 'exit');
    worker.process.kill(signal);
    await gone;
  };
}

function innerRuns(runId: string) {
  return world.database.system
    .selectFrom('test_run')
    .selectAll()
    .where('parent_run_id', '=', runId)
    .orderBy('id')
    .execute();
}

/** The run inside of this one, as soon as a case of it is being run. */
async function innerAtWork(runId: string): Promise<string> {
  for (;;) {
    for (const { id } of await innerRuns(runId)) {
      const [result] = await world.executions(id);
      if (result?.status === 'running') return id;
    }
    await sleep(20);
  }
}

test('a worker that is killed while a case waits for a run inside of it leaves neither of them open', async () => {
  const started = await place.assay(['test', 'run', '--suite', 'outer', '--json']);
  const runId: string = JSON.parse(started.stdout).id;
  const first = await startWorker();
  const lost = await innerAtWork(runId);
  await first('SIGKILL');

  const second = await startWorker();
  await world.ended(runId, 60_000);
  await second('SIGTERM');

  expect(await world.state(runId)).toMatchObject({ status: 'finished', outcome: 'passed' });
  expect(await world.results(runId)).toMatchObject([{ status: 'done', outcome: 'passed', attempt: 2 }]);
  expect(await innerRuns(runId)).toMatchObject([
    { id: lost, status: 'cancelled', outcome: 'cancelled', parent_attempt: 1 },
    { status: 'finished', outcome: 'passed', parent_attempt: 2 },
  ]);
  const audit = await world.database.system
    .selectFrom('audit_entry')
    .select(['object_id', 'principal'])
    .where('action', '=', 'test-run.cancel')
    .execute();
  expect(audit).toEqual([{ object_id: lost, principal: 'worker' }]);
});

test('a worker that is told to stop while a case waits ends in time, and the next one begins anew', async () => {
  const started = await place.assay(['test', 'run', '--suite', 'outer', '--json']);
  const runId: string = JSON.parse(started.stdout).id;
  const first = await startWorker();
  await innerAtWork(runId);
  // what runs may end within the grace that a worker has
  await first('SIGTERM');
  const second = await startWorker();
  await world.ended(runId, 60_000);
  await second('SIGTERM');

  expect(await world.state(runId)).toMatchObject({ status: 'finished', outcome: 'passed' });
  for (const { status } of await innerRuns(runId)) expect(['finished', 'cancelled']).toContain(status);
});
