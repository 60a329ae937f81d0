import { expect, test } from 'vitest';
import { ActiveRun } from './active-run.ts';
import { RunCancelled, WorkerStopping } from './stops.ts';

function runWith(lanes: number, durations: number[]): ActiveRun {
  const run = new ActiveRun({ workspaceId: 'w', runId: 'r' }, 'abc123');
  run.lanes = lanes;
  for (const ms of durations) run.noteDuration(ms);
  return run;
}

test('nothing is held ready until it is known how long cases take, nor while they are long', () => {
  expect(runWith(20, [])).toMatchObject({ ahead: 0, pace: 'unknown' });
  expect(runWith(20, [400])).toMatchObject({ ahead: 0, pace: 'long' });
});

test('one case for each lane is held ready while they are short, five at most while they take no time', () => {
  expect(runWith(20, [50])).toMatchObject({ ahead: 20, pace: 'short' });
  expect(runWith(3, [3])).toMatchObject({ ahead: 9 });
  expect(runWith(20, [0])).toMatchObject({ ahead: 100 });
});

test('the pace follows the newest cases', () => {
  const turned = runWith(4, [10, ...Array.from({ length: 10 }, () => 5_000)]);
  expect(turned.pace).toBe('long');
});

test('a run that is stopped stops its cases with the first reason, also those that come later', () => {
  const run = runWith(1, []);
  const [running, ended] = [run.startCase(), run.startCase()];
  run.endCase(ended);
  const reason = new RunCancelled();
  run.stop(reason);
  run.stop(new WorkerStopping());
  expect(running.signal.reason).toBe(reason);
  expect(ended.signal.aborted).toBe(false);
  expect(run.startCase().signal.reason).toBe(reason);
  expect(run.stopped).toBe(true);
});
