import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type TestDatabase, testDatabase } from '../../test/database.ts';
import { caseOf, RunWorld, scriptedAgent } from '../../test/run-world.ts';
import { verifies } from '../../test/verifies.ts';
import type { RunResult } from '../contract/result.ts';
import { embeddedAccess } from '../store/connection.ts';
import { readRunResult } from './run-result.ts';

let testDb: TestDatabase;
let world: RunWorld;
beforeAll(async () => {
  testDb = await testDatabase();
  world = await RunWorld.open(embeddedAccess({ connection: testDb.connection }));
});
afterAll(async () => {
  await world.close();
  await testDb.drop();
});

const read = (runId: string): Promise<RunResult> =>
  world.database.inWorkspace(world.workspaceId, (transaction) =>
    readRunResult(transaction, world.workspaceId, runId),
  );

describe('the result document of a run', () => {
  test('that nobody works on says that nothing is there yet, and counts nothing', async () => {
    const runId = await world.startRun({ cases: [caseOf('echo a'), caseOf('echo b')], token: 'early1' });
    expect(await read(runId)).toMatchObject({
      status: 'queued',
      outcome: null,
      token: 'early1',
      startedAt: null,
      finishedAt: null,
      durationMs: null,
      totals: { tests: 2, passed: 0, failed: 0, pending: 0, successRate: 0, averageLatencyMs: null },
      results: [
        { testCase: { name: 'case 1' }, outcome: null, durationMs: null, conversations: [] },
        { testCase: { name: 'case 2' }, outcome: null, durationMs: null, conversations: [] },
      ],
    });
  });

  test(verifies('tells of each conversation what was said and done, and who answered', 'M23'), async () => {
    await world.startWorker();
    const cases = [
      caseOf('echo {{run}}', { repeat: 2 }),
      caseOf('nothing is called'),
      caseOf('fail out of order'),
      { unresolved: 'No version is deployed in dev.' },
    ];
    const runId = await world.startRun({ cases, token: 'k3x9qa' });
    await world.ended(runId);
    const result = await read(runId);
    expect(result).toMatchObject({
      formatVersion: 1,
      id: runId,
      status: 'finished',
      outcome: 'error',
      totals: { tests: 4, passed: 1, failed: 1, error: 2, successRate: 25 },
    });
    expect(result.durationMs).toBeGreaterThan(0);

    const [passed, failed, broken, unresolved] = result.results;
    expect(passed?.conversations.map(({ run }) => run)).toEqual(['k3x9qa', 'k3x9qa-2']);
    expect(passed?.conversations[0]).toMatchObject({
      agentVersionId: scriptedAgent.version.id,
      agentVersion: 'v1',
      outcome: 'passed',
      endReason: null,
      model: 'script',
      messages: [
        { role: 'user', text: 'echo k3x9qa' },
        { role: 'agent', text: 'k3x9qa', attachments: [] },
      ],
      toolCalls: [
        {
          server: 'script',
          tool: 'echo',
          args: { text: 'k3x9qa' },
          result: { text: 'k3x9qa' },
          error: null,
          isError: false,
          mocked: false,
          rule: null,
          waitedMs: null,
          durationMs: 0,
        },
      ],
      skillsUsed: [],
      checks: [{ type: 'tool_called', outcome: 'passed', reason: '', turn: null }],
      evaluator: null,
      children: [],
      usage: { inputTokens: 3, outputTokens: 2, costUsd: 0.5 },
    });
    expect(failed).toMatchObject({ outcome: 'failed', reason: expect.stringContaining('echo') });
    expect(failed?.conversations[0]).toMatchObject({ outcome: 'failed', toolCalls: [] });
    expect(broken).toMatchObject({ outcome: 'error', reason: expect.stringContaining('out of order') });
    expect(unresolved).toMatchObject({
      outcome: 'error',
      reason: 'No version is deployed in dev.',
      conversations: [],
    });
  });

  test(verifies('refers to a payload that is too large by its hash', 'O11'), async () => {
    await world.startWorker();
    const runId = await world.startRun({ cases: [caseOf(`echo ${'x'.repeat(300_000)}`)] });
    await world.ended(runId);
    const [call] = (await read(runId)).results[0]?.conversations[0]?.toolCalls ?? [];
    expect(call?.result).toEqual({
      $ref: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
      bytes: JSON.stringify({ text: 'x'.repeat(300_000) }).length,
      cut: false,
    });
  });

  test('of another workspace is answered like one that does not exist', async () => {
    const runId = await world.startRun({ cases: [caseOf('echo a')] });
    const other = await world.database.system
      .selectFrom('workspace')
      .select('id')
      .where('name', '=', 'assay')
      .executeTakeFirstOrThrow();
    const refusal = (id: string) =>
      world.database
        .inWorkspace(other.id, (transaction) => readRunResult(transaction, other.id, id))
        .catch((error) => ({ code: error.code, text: error.message.replace(id, '…') }));
    const missing = '01980000-0000-7000-8000-000000000000';
    expect(await refusal(runId)).toEqual({ code: 'not_found', text: 'There is no test run "…".' });
    expect(await refusal(missing)).toEqual(await refusal(runId));
    expect(await refusal('no id at all')).toEqual(await refusal(runId));
  });
});
