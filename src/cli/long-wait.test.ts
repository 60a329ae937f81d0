import { expect, test } from 'vitest';
import { waitInTurns } from './long-wait.ts';

interface Call {
  path: string[];
  input: unknown;
}

/** Answers each turn with the next of these. */
function server(...statuses: string[]) {
  const asked: Record<string, unknown>[] = [];
  const call = (path: string[], input: unknown) =>
    waitInTurns<Call, { status: string | undefined }>({
      path,
      input,
      next: async (turn) => {
        asked.push((turn?.input ?? input) as Record<string, unknown>);
        return { status: statuses.shift() };
      },
    });
  return { asked, call };
}

const start = ['testRuns', 'start'];

test('a long wait for a run is asked for in turns, all of them for one run', async () => {
  const { asked, call } = server('running', 'running', 'finished');
  expect(await call(start, { testSuiteId: 's', waitSeconds: 600 })).toEqual({ status: 'finished' });
  expect(asked.map(({ waitSeconds }) => waitSeconds)).toEqual([240, 240, 120]);
  const keys = asked.map(({ idempotencyKey }) => idempotencyKey);
  expect(keys).toEqual(Array(3).fill(expect.stringMatching(/^[0-9a-f-]{36}$/)));
  expect(new Set(keys).size).toBe(1);
});

test('it ends with the run or the time, and keeps the key of the caller', async () => {
  const ends = server('running', 'cancelled');
  await ends.call(start, { testSuiteId: 's', waitSeconds: 500, idempotencyKey: 'mine' });
  expect(ends.asked).toEqual([
    { testSuiteId: 's', waitSeconds: 240, idempotencyKey: 'mine' },
    { testSuiteId: 's', waitSeconds: 240, idempotencyKey: 'mine' },
  ]);
  const goesOn = server('running', 'running');
  expect(await goesOn.call(start, { testSuiteId: 's', waitSeconds: 241 })).toEqual({ status: 'running' });
  expect(goesOn.asked.map(({ waitSeconds }) => waitSeconds)).toEqual([240, 1]);
});

test('a short wait, one that is to be refused and every other operation are asked for as they are', async () => {
  const { asked, call } = server('running', 'queued', 'queued');
  await call(start, { testSuiteId: 's', waitSeconds: 240 });
  await call(start, { testSuiteId: 's', waitSeconds: 601 });
  await call(['testRuns', 'get'], { testRunId: 'r' });
  expect(asked).toEqual([
    { testSuiteId: 's', waitSeconds: 240 },
    { testSuiteId: 's', waitSeconds: 601 },
    { testRunId: 'r' },
  ]);
});
