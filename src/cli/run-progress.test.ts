import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { RecordedResult, RunProgress } from '../contract/test-runs.ts';
import { openProgress } from './run-progress.ts';
import type { Surroundings } from './surroundings.ts';

function progress(done: number, changes: Partial<RunProgress> = {}): RunProgress {
  const totals = { tests: 3, passed: done, failed: 0, unknown: 0, error: 0, pending: 0, cancelled: 0 };
  return {
    type: 'progress',
    status: 'running',
    outcome: null,
    totals: { ...totals, successRate: 0, averageLatencyMs: null },
    done,
    running: 1,
    workers: 1,
    ...changes,
  };
}

function result(name: string, outcome: RecordedResult['outcome'], reason = ''): RecordedResult {
  return { type: 'result', id: name, seq: 1, testCase: { id: name, name }, outcome, reason, durationMs: 1 };
}

async function open(terminal: { isTTY: boolean; env?: NodeJS.ProcessEnv }) {
  const written: string[] = [];
  const stderr = { isTTY: terminal.isTTY, write: (text: string) => written.push(text) };
  const view = await openProgress({ env: terminal.env ?? {}, stderr } as unknown as Surroundings);
  return { view, written };
}

test.each([{ isTTY: false }, { isTTY: true, env: { CI: 'true' } }])(
  'without a terminal to draw on progress is a line, at most one a second: %j',
  async (terminal) => {
    const { view, written } = await open(terminal);
    view.update(progress(0, { status: 'queued', workers: 0 }));
    view.update(progress(1));
    view.update(progress(2));
    expect(written).toEqual(['0/3 cases, waiting for a worker\n']);
    await sleep(1_010);
    view.update(progress(2));
    view.update(progress(3));
    view.stop();
    expect(written.slice(1)).toEqual(['2/3 cases, 2 passed, 1 running\n']);
  },
);

test.each([{ isTTY: false }, { isTTY: true }])(
  'results that need a look are told at once, and no others: %j',
  async (terminal) => {
    const { view, written } = await open(terminal);
    view.update(progress(0));
    const before = written.length;
    view.result(result('good', 'passed'));
    view.result(result('stopped', 'cancelled', 'The run was cancelled.'));
    expect(written).toHaveLength(before);
    view.result(result('bad\u001b[31m', 'failed', 'Tool x was not called.\nAt all.'));
    view.result(result('broken', 'error', 'The agent is away.'));
    view.stop();
    const lines = written.slice(before).join('').replaceAll('\r\u001b[K', '');
    expect(lines).toContain('failed bad [31m: Tool x was not called. At all.\n');
    expect(lines).toContain('error broken: The agent is away.\n');
  },
);

test('of very many results that need a look the first ones are told', async () => {
  const { view, written } = await open({ isTTY: false });
  for (let nth = 1; nth <= 150; nth += 1) view.result(result(`case ${nth}`, 'failed', 'No.'));
  view.stop();
  expect(written).toHaveLength(101);
  expect(written.slice(-2)).toEqual([
    'failed case 100: No.\n',
    'Further ones are in the result of the run.\n',
  ]);
});
