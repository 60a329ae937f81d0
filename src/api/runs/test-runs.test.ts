import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ProgramWorld, programWorld } from '../../../test/program-world.ts';
import { envelopeOf } from '../../contract/client.ts';
import type { RunResult } from '../../contract/result.ts';

const names = ['Alpha one', 'alpha TWO', 'beta', '100% gamma', 'delta'];
const objects = [
  {
    kind: 'agent',
    name: 'plain',
    versions: [{ name: 'v1', status: 'active', model: 'offline', instructions: 'Answer.' }],
    deployments: { dev: 'v1' },
  },
  ...names.map((name) => ({
    kind: 'test-case',
    name,
    agent: 'plain',
    environment: 'dev',
    conversation: { type: 'single', request: `Hello from ${name}` },
    checks: [{ type: name === 'beta' ? 'object_exists' : 'object_absent', object: 'agent', name: 'ghost' }],
  })),
  { kind: 'test-suite', name: 'five', testCaseIds: names },
  { kind: 'test-suite', name: 'one', testCaseIds: ['beta'] },
];

let world: ProgramWorld;
let run: RunResult;
beforeAll(async () => {
  world = await programWorld();
  await world.apply(objects.map((object) => JSON.stringify(object)).join('\n---\n'));
  await world.startWorker({ lanes: 4 });
  run = await world.run('five', { parallel: 3 });
});
afterAll(() => world.close());

const client = () => world.client().testRuns;
const refused = async (work: Promise<unknown>) => {
  const error = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  const { code, details = [] } = envelopeOf(error) ?? {};
  return { code, fields: details.map(({ field }) => field) };
};

describe('the results of a run', () => {
  test('are listed in the order of the suite, page by page', async () => {
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const page: Awaited<ReturnType<ReturnType<typeof client>['results']>> = await client().results({
        testRunId: run.id,
        limit: 2,
        ...(cursor === null ? {} : { cursor }),
      });
      expect(page.items.length).toBeLessThanOrEqual(2);
      seen.push(...page.items.map(({ testCase }) => testCase.name));
      cursor = page.nextCursor;
    } while (cursor !== null);
    expect(seen).toEqual(names);
  });

  test('say what lists have to say of each', async () => {
    const { items } = await client().results({ testRunId: run.id, outcome: 'failed' });
    const whole = run.results.find(({ outcome }) => outcome === 'failed');
    expect(items).toEqual([
      {
        id: whole?.id,
        seq: 3,
        testCase: whole?.testCase,
        status: 'done',
        outcome: 'failed',
        reason: whole?.reason,
        attempt: 1,
        durationMs: whole?.durationMs,
        agentVersion: 'v1',
      },
    ]);
  });

  test.each([
    ['ALPHA', ['Alpha one', 'alpha TWO']],
    ['%', ['100% gamma']],
    ['_', []],
    ['a', names],
    ['\0', []],
  ])('are found by a part of the name of their case: %j', async (search, found) => {
    const { items } = await client().results({ testRunId: run.id, search });
    expect(items.map(({ testCase }) => testCase.name)).toEqual(found);
  });

  test('are filtered and paged at once', async () => {
    const asked = { testRunId: run.id, outcome: 'passed', limit: 2 } as const;
    const first = await client().results(asked);
    expect(first.items.map(({ seq }) => seq)).toEqual([1, 2]);
    const second = await client().results({ ...asked, cursor: first.nextCursor ?? '' });
    expect(second.items.map(({ seq }) => seq)).toEqual([4, 5]);
    expect(second.nextCursor).toBeNull();
  });

  test('are read one by one as the document has them', async () => {
    for (const [index, expected] of run.results.entries()) {
      const { seq, status, testRun, ...result } = await client().result({ testResultId: expected.id });
      expect(result).toEqual(expected);
      expect({ seq, status, testRun }).toEqual({
        seq: index + 1,
        status: 'done',
        testRun: { id: run.id, suite: run.suite, token: run.token, status: 'finished' },
      });
    }
  });

  test('make up the document in parts', async () => {
    const { results, ...head } = run;
    const first = await client().get({ testRunId: run.id, limit: 3 });
    expect(first).toEqual({ ...head, results: results.slice(0, 3), nextCursor: results[2]?.id });
    const rest = await client().get({ testRunId: run.id, cursor: first.nextCursor ?? '' });
    expect(rest).toEqual({ ...head, results: results.slice(3), nextCursor: null });
    expect(await client().get({ testRunId: run.id })).toEqual(run);
  });

  test('are refused where run, result or cursor is none', async () => {
    const ghost = '01a22cfe-0000-7000-8000-000000000000';
    const other = await world.run('one');
    const foreign = other.results[0]?.id ?? '';
    for (const testRunId of ['ghost', ghost]) {
      expect(await refused(client().results({ testRunId }))).toEqual({
        code: 'not_found',
        fields: ['testRunId'],
      });
    }
    for (const testResultId of ['ghost', ghost]) {
      expect(await refused(client().result({ testResultId }))).toEqual({
        code: 'not_found',
        fields: ['testResultId'],
      });
    }
    for (const cursor of ['ghost', ghost, foreign, '']) {
      const asked = { testRunId: run.id, cursor };
      expect(await refused(client().results(asked))).toEqual({ code: 'invalid_input', fields: ['cursor'] });
      expect(await refused(client().get(asked))).toEqual({ code: 'invalid_input', fields: ['cursor'] });
    }
    // of a workspace that the caller may see, an id is enough
    const elsewhere = await world.client('assay').testRuns.result({ testResultId: foreign });
    expect(elsewhere.testRun.id).toBe(other.id);
  });
});

describe('the runs of a workspace', () => {
  test('are listed newest first, by suite, status and outcome', async () => {
    const { id } = await world.run('one');
    const ids = async (filters: Parameters<ReturnType<typeof client>['list']>[0]) =>
      (await client().list(filters)).items.map((each) => each.id);
    expect((await ids({}))[0]).toBe(id);
    const ofFive = await ids({ testSuite: 'five' });
    expect(ofFive).toContain(run.id);
    expect(ofFive).not.toContain(id);
    expect(await ids({ testSuite: run.suite.id })).toEqual(ofFive);
    expect(await ids({ testSuite: 'five', outcome: 'failed', status: 'finished' })).toEqual(ofFive);
    expect(await ids({ outcome: 'passed' })).toEqual([]);
    expect(await ids({ status: 'queued' })).toEqual([]);
    const [first] = (await client().list({ testSuite: 'one', limit: 1 })).items;
    expect(first?.id).toBe(id);
    expect(await refused(client().list({ testSuite: 'ghost' }))).toEqual({
      code: 'not_found',
      fields: ['testSuite'],
    });
  });

  test('are waited for as long as is asked, and the same key is the same run however long that is', async () => {
    const asked = { testSuiteId: 'one', idempotencyKey: 'once' };
    const started = await client().start(asked);
    const ended = await client().start({ ...asked, waitSeconds: 60 });
    expect(ended).toMatchObject({ id: started.id, status: 'finished', outcome: 'failed' });
  });
});
