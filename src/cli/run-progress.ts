import type { RunProgress } from '../contract/test-runs.ts';
import type { Surroundings } from './surroundings.ts';

/** Shows how far a run is, on standard error. */
export interface ProgressView {
  update(progress: RunProgress): void;
  stop(): void;
}

const lineEveryMs = 1_000;

/** A bar on a terminal; elsewhere, and in CI, plain lines, at most one a second. */
export async function openProgress({ env, stderr }: Surroundings): Promise<ProgressView> {
  return stderr.isTTY === true && !env.CI ? openBar(stderr) : openLines(stderr);
}

async function openBar(stream: NodeJS.WriteStream): Promise<ProgressView> {
  const { SingleBar, Presets } = (await import('cli-progress')).default;
  const bar = new SingleBar(
    {
      stream,
      format: '{bar} {value}/{total}  {state}',
      hideCursor: true,
      clearOnComplete: true,
      gracefulExit: false,
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
    stop: () => bar.stop(),
  };
}

function openLines(stream: NodeJS.WriteStream): ProgressView {
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
