import { AssayError } from '../core/errors.ts';
import type { Worker } from '../engine/testing/worker/worker.ts';
import { closing } from './closing.ts';
import { openLog } from './log.ts';
import { type OpenSubjects, openProgram, type RunningProgram } from './program.ts';
import { stopSignal } from './signals.ts';
import { startDatabase } from './store.ts';

export async function work(home: string, ready: () => void, openSubjects: OpenSubjects): Promise<void> {
  const opened = await openLog('info');
  const { log } = opened;
  await closing(async (defer) => {
    const running = await openProgram(await startDatabase(home, opened), { supervise: true, openSubjects });
    defer(running.close);
    const worker = await startWorking(running);
    defer(worker.stop);
    ready();
    log('info', `stopping on ${await Promise.race([stopSignal(), worker.failed])}`);
  });
}

export async function startWorking({ program, ports, running, warn }: RunningProgram): Promise<Worker> {
  const { startWorker } = await import('../engine/testing/worker/worker.ts');
  return startWorker({
    database: program.database,
    queue: await program.queue(),
    ports,
    running,
    lanes: laneCount(process.env.ASSAY_WORKER_LANES),
    report: warn,
  });
}

function laneCount(setting: string | undefined): number {
  const lanes = Number(setting || 20);
  if (Number.isInteger(lanes) && lanes >= 1 && lanes <= 1000) return lanes;
  const message = 'must be a whole number from 1 to 1000';
  throw new AssayError('invalid_input', `ASSAY_WORKER_LANES ${message}; it is "${setting}".`, [
    { field: 'ASSAY_WORKER_LANES', value: setting, message },
  ]);
}
