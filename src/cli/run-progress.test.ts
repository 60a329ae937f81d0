import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { RunProgress } from '../contract/test-runs.ts';
import { openProgress } from './run-progress.ts';
import type { Surroundings } from './surroundings.ts';

function progress(done: number, changes: Partial<RunProgress> = {}): RunProgress {
  const totals = { tests: 3, passed: done, failed: 0, unknown: 0, error: 0, pending: 0, cancelled: 0 };
  return {
    status: 'running',
    outcome: null,
    totals: { ...totals, successRate: 0, averageLatencyMs: null },
    done,
    running: 1,
    workers: 1,
    ...changes,
  };
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
