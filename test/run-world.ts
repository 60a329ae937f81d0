import type { PgBoss } from 'pg-boss';
import type { TestCaseDefinition } from '../src/core/documents/test-case.ts';
import type { FrozenAgent, FrozenWork } from '../src/core/frozen.ts';
import { cancelRun } from '../src/engine/testing/cancel.ts';
import { RunningCases } from '../src/engine/testing/running-cases.ts';
import { startWorker, type Worker, type WorkerOptions } from '../src/engine/testing/worker/worker.ts';
import { capPayload } from '../src/net/payload.ts';
import { systemClock, systemRandom } from '../src/net/system-ports.ts';
import type { DatabaseAccess } from '../src/store/connection.ts';
import { type Database, openDatabase } from '../src/store/database.ts';
import { createObserve } from '../src/store/observe.ts';
import { openQueue, queueLanes } from '../src/store/queue.ts';
import { runState } from '../src/store/test-run.ts';
import { noModels, noTools, scriptedSubject } from './scripted-subject.ts';

export const scriptedAgent: FrozenAgent = {
  kind: 'native',
  agent: { id: systemRandom.id(), name: 'scripted' },
  version: { id: systemRandom.id(), name: 'v1' },
  model: 'script',
  instructions: '',
  prompts: [],
  skills: [],
  mcpServers: [],
  limits: { modelCalls: 25, tokens: 500_000, seconds: 300 },
};

/** A case that says `request` and passes when the echo tool was called. */
export function caseOf(request: string, more: Partial<TestCaseDefinition> = {}): TestCaseDefinition {
  return {
    conversation: { type: 'single', request },
    repeat: 1,
    pass: 'all',
    checks: [{ type: 'tool_called', tool: 'echo' }],
    ...more,
  };
}

export interface RunOrder {
  cases: (TestCaseDefinition | { unresolved: string })[];
  parallel?: number;
  token?: string;
  agent?: FrozenAgent;
  /** Lanes in the queue; as many as the run can use unless told otherwise. */
  lanes?: number;
}

/** One workspace of a database, in which runs start as if they had been frozen, and workers of this process. */
export class RunWorld {
  readonly access: DatabaseAccess;
  readonly database: Database;
  readonly reports: string[] = [];
  workspaceId = '';
  #suiteId = '';
  #sender: PgBoss | null = null;
  readonly #workers: { worker: Worker; database: Database; queue: PgBoss }[] = [];

  private constructor(access: DatabaseAccess) {
    this.access = access;
    this.database = openDatabase(access, { onIdleError: () => {} });
  }

  static async open(access: DatabaseAccess, workspaceName = 'main'): Promise<RunWorld> {
    const world = new RunWorld(access);
    const { system } = world.database;
    const workspace = await system
      .selectFrom('workspace')
      .select('id')
      .where('name', '=', workspaceName)
      .executeTakeFirstOrThrow();
    world.workspaceId = workspace.id;
    world.#suiteId = systemRandom.id();
    await system
      .insertInto('test_suite')
      .values({ workspace_id: workspace.id, id: world.#suiteId, name: `suite ${world.#suiteId}` })
      .execute();
    world.#sender = await openStarted(access);
    return world;
  }

  async startRun({
    cases,
    parallel = 1,
    token = systemRandom.token(6),
    agent = scriptedAgent,
    lanes = Math.min(parallel, cases.length),
  }: RunOrder): Promise<string> {
    const runId = systemRandom.id();
    const contentHash = `hash of ${JSON.stringify(agent)}`;
    const workspace_id = this.workspaceId;
    const sender = this.#sender as PgBoss;
    await this.database.system.transaction().execute(async (transaction) => {
      await transaction
        .insertInto('frozen_subject')
        .values({ workspace_id, content_hash: contentHash, body: JSON.stringify(agent) })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
      await transaction
        .insertInto('test_run')
        .values({
          workspace_id,
          id: runId,
          suite_id: this.#suiteId,
          suite_name: 'suite',
          token,
          parallel,
          version_target: JSON.stringify({ target: 'configured', agentVersionId: null }),
          total: cases.length,
          remaining: cases.length,
          started_by: 'operator:local',
        })
        .execute();
      const rows = cases.map((definition, index) => {
        const id = systemRandom.id();
        const name = `case ${index + 1}`;
        const work: FrozenWork = {
          case: {
            id,
            name,
            environment: { id, name: 'dev', live: false },
            definition: 'unresolved' in definition ? caseOf('') : definition,
          },
          subject:
            'unresolved' in definition
              ? { unresolved: { code: 'no_version', message: definition.unresolved, params: {} } }
              : { contentHash },
        };
        return {
          workspace_id,
          id: systemRandom.id(),
          run_id: runId,
          seq: index + 1,
          case_id: id,
          case_name: name,
          frozen_work: JSON.stringify(work),
        };
      });
      for (let from = 0; from < rows.length; from += 1_000) {
        await transaction
          .insertInto('test_result')
          .values(rows.slice(from, from + 1_000))
          .execute();
      }
      await queueLanes(transaction, sender, Array(lanes).fill({ workspaceId: this.workspaceId, runId }));
    });
    return runId;
  }

  /** The id of a worker that counts as alive and does nothing, as long as no other one looks. */
  async idleWorker(): Promise<string> {
    const id = systemRandom.id();
    await this.database.systemPool.query(
      `insert into worker (id, lock_key, lanes, lease_until)
       values ($1, hashtextextended($1::uuid::text, 0), 1, now() + interval '1 hour')`,
      [id],
    );
    return id;
  }

  /** Lanes that nobody asked for. */
  async queueLanes(runId: string, count: number): Promise<void> {
    const sender = this.#sender;
    if (sender === null) throw new Error('this world sends no lanes');
    const lanes = Array(count).fill({ workspaceId: this.workspaceId, runId });
    await this.database.system.transaction().execute((transaction) => queueLanes(transaction, sender, lanes));
  }

  /** Takes away what the cases of the run are to talk to. */
  async forgetSubject(runId: string): Promise<void> {
    const work = JSON.stringify({ contentHash: 'nothing has this hash' });
    await this.database.systemPool.query(
      `update test_result set frozen_work = jsonb_set(frozen_work::jsonb, '{subject}', $2)::json where run_id = $1`,
      [runId, work],
    );
  }

  async startWorker({
    lanes = 20,
    ports = {},
  }: {
    lanes?: number;
    ports?: Partial<WorkerOptions['ports']>;
  } = {}): Promise<Worker> {
    const database = openDatabase(this.access, { onIdleError: (error) => this.reports.push(error.message) });
    const queue = await openStarted(this.access);
    const worker = await startWorker({
      database,
      queue,
      lanes,
      running: new RunningCases(),
      ports: {
        subjects: { native: scriptedSubject() },
        models: noModels,
        tools: noTools,
        observe: createObserve(database.system),
        redactFor: () => (value) => value,
        capPayload,
        clock: systemClock,
        random: systemRandom,
        ...ports,
      },
      report: (message, error) => this.reports.push(`${message}: ${error}`),
    });
    this.#workers.push({ worker, database, queue });
    return worker;
  }

  cancel(runId: string): Promise<boolean> {
    const key = { workspaceId: this.workspaceId, runId };
    return this.database.inWorkspace(this.workspaceId, (transaction) =>
      cancelRun(transaction, key, { principal: 'operator:local', random: systemRandom }),
    );
  }

  /** Waits until the run is over. */
  async ended(runId: string, limitMs = 20_000): Promise<void> {
    const giveUpAt = Date.now() + limitMs;
    for (;;) {
      const state = await this.state(runId);
      if (state.status === 'finished' || state.status === 'cancelled') return;
      if (Date.now() > giveUpAt) {
        throw new Error(`the run did not end: ${JSON.stringify(state)}\n${this.reports.join('\n')}`);
      }
      await systemClock.sleep(5, AbortSignal.timeout(60_000));
    }
  }

  async state(runId: string) {
    const key = { workspaceId: this.workspaceId, runId };
    const state = await this.database.inWorkspace(this.workspaceId, (transaction) =>
      runState(transaction, key),
    );
    if (state === null) throw new Error('there is no such run');
    return state;
  }

  results(runId: string) {
    return this.database.system
      .selectFrom('test_result')
      .selectAll()
      .where('run_id', '=', runId)
      .orderBy('seq')
      .execute();
  }

  /** Executions of a run with their events, in the order of the suite. */
  async executions(runId: string) {
    const rows = await this.database.system
      .selectFrom('execution')
      .innerJoin('test_result', 'test_result.id', 'execution.result_id')
      .leftJoin('evaluation', 'evaluation.id', 'execution.evaluation_id')
      .selectAll('execution')
      .select(['test_result.seq', 'evaluation.outcome', 'evaluation.checks'])
      .where('test_result.run_id', '=', runId)
      .orderBy('test_result.seq')
      .orderBy('execution.ordinal')
      .execute();
    const batches = await this.database.system
      .selectFrom('trace_batch')
      .selectAll()
      .where('execution_id', 'in', rows.map(({ id }) => id).concat(systemRandom.id()))
      .orderBy('first_seq')
      .execute();
    const byExecution = Map.groupBy(batches, (batch) => batch.execution_id);
    return rows.map((row) => ({
      ...row,
      events: (byExecution.get(row.id) ?? []).flatMap((batch) => batch.events),
    }));
  }

  async stopWorkers(): Promise<void> {
    for (const { worker, database, queue } of this.#workers.splice(0)) {
      await worker.stop({ runningMs: 0 });
      await queue.stop({ graceful: false });
      await database.close();
    }
  }

  async close(): Promise<void> {
    await this.stopWorkers();
    await this.#sender?.stop({ graceful: false });
    await this.database.close();
  }
}

async function openStarted(access: DatabaseAccess): Promise<PgBoss> {
  const queue = openQueue(access, { supervise: false });
  queue.on('error', () => {});
  await queue.start();
  return queue;
}
