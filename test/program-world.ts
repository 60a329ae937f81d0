import { createRouterClient } from '@orpc/server';
import type { PgBoss } from 'pg-boss';
import { nativeAgent } from '../src/agents/native/native.ts';
import { type Caller, localCaller } from '../src/api/call/caller.ts';
import type { Program } from '../src/api/call/context.ts';
import { router } from '../src/api/router.ts';
import { caseClient } from '../src/api/runs/case-client.ts';
import type { AssayClient } from '../src/contract/client.ts';
import type { RunResult } from '../src/contract/result.ts';
import { RunningCases } from '../src/engine/testing/running-cases.ts';
import { startWorker, type Worker } from '../src/engine/testing/worker/worker.ts';
import { serveInMemory } from '../src/mcp/in-memory.ts';
import { type OperationTool, operationTools } from '../src/mcp/tools.ts';
import { createModels } from '../src/models/models.ts';
import { capPayload } from '../src/net/payload.ts';
import { systemClock, systemRandom } from '../src/net/system-ports.ts';
import type { DatabaseAccess } from '../src/store/connection.ts';
import { openDatabase } from '../src/store/database.ts';
import { createObserve } from '../src/store/observe.ts';
import { openQueue } from '../src/store/queue.ts';
import { testAccounts } from './accounts.ts';
import { testDatabase } from './database.ts';
import { secrets, toolBench } from './tool-bench.ts';

/** The whole program in this process, on a database of its own: operations, workers, the offline model, and this
 *  product's own tools for the cases that run. */
export interface ProgramWorld {
  program: Program;
  access: DatabaseAccess;
  /** What workers reported. */
  reports: string[];
  /** The operations, as whoever owns the installation unless somebody else is named. */
  client(workspace?: 'main' | 'assay', caller?: Caller): AssayClient;
  /** Applies one file. */
  apply(text: string, workspace?: 'main' | 'assay'): Promise<void>;
  startWorker(options: { lanes: number }): Promise<Worker>;
  /** Which of the product's own tools agents are offered, from now on. */
  offer(tools: readonly OperationTool[]): void;
  /** Waits until a run of `main` is over. */
  ended(testRunId: string): Promise<void>;
  /** Starts a suite, and gives its result when it has ended. */
  run(testSuiteId: string, options?: { parallel?: number; workspace?: 'main' | 'assay' }): Promise<RunResult>;
  close(): Promise<void>;
}

export async function programWorld(): Promise<ProgramWorld> {
  const { access, drop } = await testDatabase();
  const database = openDatabase(access, { onIdleError: () => {} });
  const queue = openQueue(access, { supervise: false });
  queue.on('error', () => {});
  await queue.start();

  const running = new RunningCases();
  let offered = operationTools();
  const { tools, redaction } = toolBench({
    random: systemRandom,
    connectBuiltin: async (_server, scope) =>
      serveInMemory(scope && caseClient(program, scope, running), '1', offered),
  });
  const program: Program = {
    database,
    queue: async (): Promise<PgBoss> => queue,
    tools,
    accounts: testAccounts(database),
    secrets,
    clock: systemClock,
    random: systemRandom,
  };
  const client = (workspace = 'main', caller = localCaller) =>
    createRouterClient(router, { context: { caller, workspaceRef: workspace, program } });
  const models = createModels({
    environment: {},
    clock: systemClock,
    fetch: () => Promise.reject(new Error('nothing is fetched here')),
  });
  const reports: string[] = [];
  const workers: Worker[] = [];

  return {
    program,
    access,
    reports,
    client,
    apply: async (text, workspace) => {
      await client(workspace).apply({ files: [{ path: 'f.yaml', text }] });
    },
    startWorker: async ({ lanes }) => {
      const worker = await startWorker({
        database,
        queue,
        running,
        lanes,
        ports: {
          subjects: { native: nativeAgent },
          models,
          tools,
          observe: createObserve(database.system),
          redactFor: redaction.redactFor,
          capPayload,
          clock: systemClock,
          random: systemRandom,
        },
        report: (message, error) => reports.push(`${message}: ${error}`),
      });
      workers.push(worker);
      return worker;
    },
    offer: (some) => {
      offered = some;
    },
    ended: async (testRunId) => {
      for await (const _ of await client().testRuns.progress({ testRunId, results: 'none' }));
    },
    run: async (testSuiteId, { parallel = 1, workspace } = {}) => {
      const { id } = await client(workspace).testRuns.start({ testSuiteId, parallel, waitSeconds: 50 });
      return client(workspace).testRuns.get({ testRunId: id });
    },
    close: async () => {
      for (const worker of workers) await worker.stop({ runningMs: 0 });
      await tools.close();
      await queue.stop({ graceful: false });
      await database.close();
      await drop();
    },
  };
}
