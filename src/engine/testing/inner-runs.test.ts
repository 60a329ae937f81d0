import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ProgramWorld, programWorld } from '../../../test/program-world.ts';
import { installedServer } from '../../../test/tool-bench.ts';
import type { RunResult } from '../../contract/result.ts';
import { systemClock } from '../../net/system-ports.ts';

const everything = installedServer('everything', ['stdio']).transport;

const objects = [
  { kind: 'mcp-server', name: 'assay', transport: { type: 'builtin' }, profile: 'long' },
  { kind: 'mcp-server', name: 'everything', transport: everything },
  agent('tester', {}),
  agent('hasty', { limits: { seconds: 2 } }),
  ...suite('third', 'List all prompts', 'list-prompts'),
  ...suite('second', 'Run the test suite "third" with wait seconds 40'),
  ...suite('first', 'Run the test suite "second" with wait seconds 45'),
  ...suite('zeroth', 'Run the test suite "first" with wait seconds 50'),
  ...suite(
    'two at once',
    'Run the test suite "third" with wait seconds 30 and run the test suite "second" with wait seconds 30',
  ),
  ...suite(
    'slow',
    'Trigger the long running operation with duration 50 and steps 1',
    'trigger-long-running-operation',
  ),
  ...suite('patient', 'Run the test suite "slow" with wait seconds 40'),
  ...suite('more patient', 'Run the test suite "patient" with wait seconds 45'),
  ...suite('impatient', 'Run the test suite "slow" with wait seconds 1'),
  ...suite('keyed', 'Run the test suite "third" with idempotency key "nightly" and wait seconds 30'),
  ...suite(
    'asks twice',
    'Run the test suite "third" with idempotency key "twice" then run the test suite "third" with idempotency key "twice" and wait seconds 30',
  ),
  ...suite(
    'joins and is cut off',
    'Run the test suite "slow" with idempotency key "joined" then run the test suite "slow" with idempotency key "joined" and wait seconds 40',
    'run-test-suite',
    'hasty',
  ),
  ...suite('cut off', 'Run the test suite "slow" with wait seconds 40', 'run-test-suite', 'hasty'),
];

function agent(name: string, more: object) {
  const version = { name: 'v1', status: 'active', model: 'offline', instructions: 'Test.' };
  const mcpServers = ['assay', 'everything'];
  return {
    kind: 'agent',
    name,
    versions: [{ ...version, mcpServers, ...more }],
    deployments: { dev: 'v1' },
  };
}

/** A suite of one case that asks for this and passes when the tool was called. */
function suite(name: string, request: string, tool = 'run-test-suite', agent = 'tester') {
  const conversation = { type: 'single', request };
  const checks = [{ type: 'tool_called', tool }];
  const repeat = name === 'keyed' ? 2 : 1;
  return [
    { kind: 'test-case', name, agent, environment: 'dev', conversation, checks, repeat },
    { kind: 'test-suite', name, testCaseIds: [name] },
  ];
}

let world: ProgramWorld;
beforeAll(async () => {
  world = await programWorld();
  await world.apply(objects.map((each) => JSON.stringify(each)).join('\n---\n'));
  await world.startWorker({ lanes: 1 });
});
afterAll(() => world.close());

/** The runs that stand inside of each other, from this one on. */
async function chain(runId: string) {
  const runs = await world.program.database.system.selectFrom('test_run').selectAll().execute();
  const inside = [runs.find(({ id }) => id === runId)];
  for (;;) {
    const next = runs.find((run) => run.parent_run_id === inside.at(-1)?.id);
    if (next === undefined) return inside.filter((run) => run !== undefined);
    inside.push(next);
  }
}

async function chainOf(runId: string, length: number) {
  for (;;) {
    const runs = await chain(runId);
    if (runs.length === length && runs.every(({ status }) => status === 'running')) return runs;
    await systemClock.sleep(20, AbortSignal.timeout(20_000));
  }
}

async function ended(runId: string) {
  const { database } = world.program;
  for (;;) {
    const run = await database.system
      .selectFrom('test_run')
      .select(['status', 'outcome'])
      .where('id', '=', runId)
      .executeTakeFirstOrThrow();
    if (run.status === 'finished' || run.status === 'cancelled') return run;
    await systemClock.sleep(20, AbortSignal.timeout(20_000));
  }
}

/** Who cancelled a run, as the audit log tells it. */
async function cancelledBy(objectId: string): Promise<string[]> {
  const { items } = await world.client().auditLog({ objectId, action: 'test-run.cancel' });
  return items.map(({ principal }) => principal);
}

/** Ids of the runs that the cases of a run were given by their calls, in order. */
function givenRuns({ results }: RunResult): unknown[] {
  const calls = results.flatMap(({ conversations }) => conversations.flatMap(({ toolCalls }) => toolCalls));
  return calls.map(({ result }) => (result as { structuredContent?: { id?: string } }).structuredContent?.id);
}

const callOf = ({ results }: RunResult, index = 0) => results[0]?.conversations[0]?.toolCalls[index];

test('with one lane runs inside of runs all end, and each knows the case that started it', async () => {
  const result = await world.run('first');
  expect(result).toMatchObject({ status: 'finished', outcome: 'passed' });
  expect(callOf(result)).toMatchObject({
    isError: false,
    result: { structuredContent: { status: 'finished', outcome: 'passed', suite: { name: 'second' } } },
  });
  const [outer, middle, inner, ...others] = await chain(result.id);
  expect(others).toEqual([]);
  expect(outer).toMatchObject({ depth: 1, parent_run_id: null, parent_result_id: null });
  expect(middle).toMatchObject({
    depth: 2,
    suite_name: 'second',
    parent_result_id: result.results[0]?.id,
    parent_attempt: 1,
  });
  expect(inner).toMatchObject({ depth: 3, suite_name: 'third', status: 'finished', outcome: 'passed' });
});

test('a fourth level is refused to the agent that asks for it, and everything ends', async () => {
  const result = await world.run('zeroth');
  expect(result).toMatchObject({ status: 'finished', outcome: 'passed' });
  const runs = await chain(result.id);
  expect(runs.map((run) => run.suite_name)).toEqual(['zeroth', 'first', 'second']);
  const deepest = await world.client().testRuns.get({ testRunId: runs.at(-1)?.id ?? '' });
  expect(callOf(deepest)).toMatchObject({ isError: true });
  expect(JSON.stringify(callOf(deepest)?.result)).toContain('3 deep at most, and this would be the 4th');
});

test('one lane is enough to wait for two runs at once', async () => {
  const result = await world.run('two at once');
  expect(result).toMatchObject({ status: 'finished', outcome: 'passed' });
  for (const index of [0, 1]) {
    expect(callOf(result, index)?.result).toMatchObject({
      structuredContent: { status: 'finished', outcome: 'passed' },
    });
  }
});

test('cancelling a run ends those inside of it at once, and the lane is free for others', async () => {
  const { id } = await world.client().testRuns.start({ testSuiteId: 'more patient' });
  const runs = await chainOf(id, 3);
  await world.client().testRuns.cancel({ testRunId: id });
  for (const run of await chain(id)) {
    expect(run).toMatchObject({ status: 'cancelled', outcome: 'cancelled' });
    expect(await cancelledBy(run.id)).toEqual(['operator:local']);
  }
  expect(runs).toHaveLength(3);
  expect(await world.run('third')).toMatchObject({ status: 'finished', outcome: 'passed' });
});

test('a run that is not waited for any longer goes on when the wait was all that ended', async () => {
  const result = await world.run('impatient');
  expect(callOf(result)).toMatchObject({ isError: false });
  const [, inner] = await chain(result.id);
  expect(callOf(result)?.result).toMatchObject({ structuredContent: { id: inner?.id, outcome: null } });
  await world.client().testRuns.cancel({ testRunId: inner?.id ?? '' });
});

test('a run is cancelled when the call that waits for it is given up', async () => {
  const result = await world.run('cut off');
  expect(result).toMatchObject({ status: 'finished', outcome: 'error' });
  const [, inner] = await chain(result.id);
  expect(await ended(inner?.id ?? '')).toEqual({ status: 'cancelled', outcome: 'cancelled' });
  expect(await cancelledBy(inner?.id ?? '')).toEqual(['operator:local']);
  expect(await world.run('third')).toMatchObject({ status: 'finished', outcome: 'passed' });
});

test('an idempotency key gives no conversation the run of another one, and the same call the same run', async () => {
  await world.client().testRuns.start({ testSuiteId: 'third', idempotencyKey: 'nightly', waitSeconds: 40 });
  const [first, second] = [await world.run('keyed'), await world.run('keyed')];
  const runs = [...givenRuns(first), ...givenRuns(second)];
  expect(runs).toEqual(Array.from({ length: 4 }, () => expect.any(String)));
  expect(new Set(runs).size).toBe(4);
  const [one, again, ...others] = givenRuns(await world.run('asks twice'));
  expect(one).toEqual(expect.any(String));
  expect([again, ...others]).toEqual([one]);
});

test('a call that is given up does not cancel a run that another call has started', async () => {
  const result = await world.run('joins and is cut off');
  expect(result).toMatchObject({ outcome: 'error' });
  expect(result.results[0]?.conversations[0]?.toolCalls).toHaveLength(2);
  const [, inner] = await chain(result.id);
  const testRunId = inner?.id ?? '';
  // the call that was given up ends after the case
  await systemClock.sleep(1_000, new AbortController().signal);
  expect(await cancelledBy(testRunId)).toEqual([]);
  expect((await world.client().testRuns.get({ testRunId })).status).not.toBe('cancelled');
  await world.client().testRuns.cancel({ testRunId });
});
