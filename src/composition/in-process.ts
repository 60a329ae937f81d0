import type { InProcess } from '../cli/surroundings.ts';
import type { Worker } from '../engine/testing/worker/worker.ts';
import { openLog } from './log.ts';
import { type OpenSubjects, openProgram } from './program.ts';
import { startDatabase } from './store.ts';
import { startWorking } from './worker.ts';

export async function openInProcess(
  home: string,
  workspace: string,
  openSubjects: OpenSubjects,
): Promise<InProcess> {
  const starting = await startDatabase(home, await openLog('warn'));
  const [running, { createRouterClient }, { router }, { localCaller }] = await Promise.all([
    openProgram(starting, { supervise: false, openSubjects }),
    import('@orpc/server'),
    import('../api/router.ts'),
    import('../api/call/caller.ts'),
  ]);
  let worker: Worker | null = null;
  const close = async () => {
    await worker?.stop();
    await running.close();
  };
  return {
    client: createRouterClient(router, {
      context: { caller: localCaller, workspaceRef: workspace, program: running.program },
    }),
    work: async () => {
      if (worker !== null) return;
      worker = await startWorking(running);
      // what the command waits for would never come; the reason is in the log
      worker.failed.catch(() => close().finally(() => process.exit(2)));
    },
    close,
  };
}
