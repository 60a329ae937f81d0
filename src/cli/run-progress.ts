import { shown } from '../contract/shown-text.ts';
import type { RecordedResult, RunProgress } from '../contract/test-runs.ts';
import type { Surroundings } from './surroundings.ts';

/** Shows how far a run is, on standard error. */
export interface ProgressView {
  update(progress: RunProgress): void;
  /** Tells of a result that needs a look, as soon as it is there. */
  result(result: RecordedResult): void;
  note(text: string): void;
  stop(): void;
}

const lineEveryMs = 1_000;
/** With more of them, nobody reads along any more; the result has them all. */
const mostResults = 100;

/** A bar on a terminal; elsewhere, and in CI, plain lines, at most one a second beside those about results. */
export async function openProgress({ env, stderr }: Surroundings): Promise<ProgressView> {
  const { update, note, stop } = stderr.isTTY === true && !env.CI ? await openBar(stderr) : openLines(stderr);
  let told = 0;
  return {
    update,
    note,
    stop,
    result: ({ outcome, testCase, reason }) => {
      if (outcome !== 'failed' && outcome !== 'error' && outcome !== 'unknown') return;
      told += 1;
      if (told <= mostResults) note(`${outcome} ${shown(testCase.name)}: ${shown(reason)}`);
      else if (told === mostResults + 1) note('Further ones are in the result of the run.');
    },
  };
}

type View = Omit<ProgressView, 'result'>;

async function openBar(stream: NodeJS.WriteStream): Promise<View> {
  const { SingleBar, Presets } = (await import('cli-progress')).default;
  const bar = new SingleBar(
    {
      stream,
      format: '{bar} {value}/{total}  {state}',
      hideCursor: true,
      clearOnComplete: true,
      gracefulExit: false,
      forceRedraw: true,
    },
    Presets.shades_classic,
  );
  let isStarted = false;
  return {
    update: (progress) => {
      if (!isStarted) bar.start(progress.totals.tests, 0, { state: '' });
      isStarted = true;
      bar.update(progress.done, { state: stateOf(progress) });
    },
    note: (text) => {
      // in place of the bar, which is drawn anew below
      stream.write(`\r\u001b[K${text}\n`);
      if (isStarted) bar.render();
    },
    stop: () => bar.stop(),
  };
}

function openLines(stream: NodeJS.WriteStream): View {
  let shownAt = Number.NEGATIVE_INFINITY;
  let latest: RunProgress | null = null;
  let waiting: NodeJS.Timeout | undefined;
  const show = () => {
    waiting = undefined;
    shownAt = performance.now();
    if (latest !== null) stream.write(`${latest.done}/${latest.totals.tests} cases, ${stateOf(latest)}\n`);
  };
  return {
    update: (progress) => {
      latest = progress;
      // what comes too soon is shown when its time has come, unless something newer has come by then
      const waitMs = shownAt + lineEveryMs - performance.now();
      if (waitMs <= 0) show();
      else waiting ??= setTimeout(show, waitMs);
    },
    note: (text) => {
      stream.write(`${text}\n`);
    },
    stop: () => clearTimeout(waiting),
  };
}

function stateOf({ status, totals, running, workers }: RunProgress): string {
  if (status === 'queued' && workers === 0) return 'waiting for a worker';
  const counts = [`${totals.passed} passed`];
  for (const outcome of ['failed', 'error', 'unknown', 'pending', 'cancelled'] as const) {
    if (totals[outcome] > 0) counts.push(`${totals[outcome]} ${outcome}`);
  }
  return `${counts.join(', ')}${running > 0 ? `, ${running} running` : ''}`;
}
