import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type TestDatabase, testDatabase } from '../../../test/database.ts';
import { caseOf, RunWorld } from '../../../test/run-world.ts';
import { junitReport } from '../../files/junit.ts';
import { readReportedRun, readRunResult } from './run-result.ts';

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

const resultOf = (runId: string) =>
  world.database.inWorkspace(world.workspaceId, (transaction) =>
    readRunResult(transaction, world.workspaceId, runId),
  );
const reportOf = (runId: string) =>
  world.database.inWorkspace(world.workspaceId, (transaction) =>
    readReportedRun(transaction, world.workspaceId, runId),
  );

test('a conversation has no outcome while it goes on, and is cancelled with its run', async () => {
  await world.startWorker();
  const runId = await world.startRun({ cases: [caseOf('hang')] });
  await expect.poll(async () => (await resultOf(runId)).results[0]?.conversations.length).toBe(1);
  expect((await resultOf(runId)).results[0]).toMatchObject({
    outcome: null,
    conversations: [{ outcome: null }],
  });
  await world.cancel(runId);
  expect((await resultOf(runId)).results[0]).toMatchObject({
    outcome: 'cancelled',
    conversations: [{ outcome: 'cancelled' }],
  });
});

test('a conversation that the engine broke off has ended, as the error that its case is', async () => {
  const redactFor =
    () =>
    <Value>(value: Value) => {
      if (JSON.stringify(value).includes('echo a')) throw new Error('no way to hide it');
      return value;
    };
  await world.startWorker({ ports: { redactFor } });
  const runId = await world.startRun({ cases: [caseOf('echo a')] });
  await world.ended(runId);
  const reason = 'Technical error in the engine: no way to hide it';
  expect((await resultOf(runId)).results).toMatchObject([
    {
      outcome: 'error',
      reason,
      conversations: [{ outcome: 'error', reason, durationMs: expect.any(Number) }],
    },
  ]);
  expect(await world.executions(runId)).toMatchObject([{ status: 'failed', finished_at: expect.any(Date) }]);
});

test('a report says the same from fewer rows as from the whole result', async () => {
  await world.startWorker();
  const checks = [{ type: 'tool_not_called' as const, tool: 'echo' }];
  const cases = [
    caseOf('echo a'),
    caseOf('echo b', { checks, repeat: 2 }),
    caseOf('fail on purpose'),
    { unresolved: 'Nothing is deployed.' },
  ];
  const runId = await world.startRun({ cases });
  await world.ended(runId);
  const report = junitReport(await reportOf(runId));
  expect(report).toBe(junitReport(await resultOf(runId)));
  expect(report).toContain('tool_not_called: failed in conversation');
});
