import type { Clock } from '../../../core/ports.ts';
import type { Database } from '../../../store/database.ts';
import { type ClaimedCase, claimCases, handBackCases } from '../../../store/test-result.ts';
import type { ActiveRun } from './active-run.ts';
import { retrying } from './database-trouble.ts';
import { inRounds } from './rounds.ts';

export interface ClaimerOptions {
  database: Database;
  clock: Clock;
  workerId: string;
  /** Aborts when this worker may claim no more. */
  signal: AbortSignal;
  report(message: string, error: unknown): void;
}

/** Takes cases for all lanes of this process, with one statement at a time for all that they want by then. */
export class Claimer {
  readonly #options: ClaimerOptions;
  readonly #runs = new Set<ActiveRun>();
  /** Everything taken that is neither recorded nor handed back, by the id of its result. */
  readonly #held = new Map<string, ClaimedCase>();
  #doubtful = false;
  readonly #claim = inRounds(
    () => this.#demand(),
    (demand) => this.#meet(demand),
  );

  constructor(options: ClaimerOptions) {
    this.#options = options;
    options.signal.addEventListener('abort', () => this.#sendAway([...this.#runs]), { once: true });
  }

  /** The next case of the run in order; null where none is queued, or this worker may claim no more. */
  async next(run: ActiveRun): Promise<ClaimedCase | null> {
    if (this.#options.signal.aborted) return null;
    this.#runs.add(run);
    const ready = run.ready.shift();
    if (ready !== undefined) {
      if (!run.drained && run.ready.length <= run.ahead / 2) void this.#claim();
      return ready;
    }
    return new Promise((resolve) => {
      run.waiting.push(resolve);
      void this.#claim();
    });
  }

  /** No lane works on the run any more: what was claimed ahead goes back. */
  async leave(run: ActiveRun): Promise<void> {
    if (this.#options.signal.aborted) return;
    this.#runs.delete(run);
    await this.#handBack(run.ready.splice(0));
  }

  /** After the abort: hands back everything that was claimed and not started. */
  async stop(): Promise<void> {
    await this.settled();
    await this.#handBack([...this.#runs].flatMap((run) => run.ready.splice(0)));
  }

  /** After the abort: resolves when no claim is under way any more. */
  async settled(): Promise<void> {
    await this.#claim();
  }

  /** The case is recorded, or somebody else's. */
  settle({ id, attempt }: ClaimedCase): void {
    if (this.#held.get(id)?.attempt === attempt) this.#held.delete(id);
  }

  async #handBack(cases: readonly ClaimedCase[]): Promise<void> {
    if (cases.length === 0) return;
    const ids = cases.map(({ id }) => id);
    await handBackCases(this.#options.database.systemPool, this.#options.workerId, { ids });
    for (const claimed of cases) this.settle(claimed);
  }

  #demand(): Demand | null {
    if (this.#options.signal.aborted) return null;
    const demand = [...this.#runs].flatMap((run) => {
      const missing = run.drained ? 0 : run.ahead - run.ready.length;
      const ahead = missing >= run.ahead / 2 ? missing : 0;
      const count = run.waiting.length + ahead;
      return count > 0 ? [{ run, count }] : [];
    });
    return demand.length > 0 ? demand : null;
  }

  async #meet(demand: Demand): Promise<void> {
    try {
      await this.#handBack(this.#deal(demand, await this.#claimOnce(demand)));
    } catch (error) {
      if (!this.#options.signal.aborted) this.#options.report('Cases cannot be claimed', error);
      this.#sendAway(demand.map(({ run }) => run));
    }
  }

  async #claimOnce(demand: Demand): Promise<ClaimedCase[]> {
    const { database, workerId, signal } = this.#options;
    const wanted = demand.map(({ run, count }) => ({ ...run.key, count }));
    const claimed = await retrying(
      async () => {
        if (this.#doubtful)
          await handBackCases(database.systemPool, workerId, { keeps: [...this.#held.keys()] });
        // a claim whose answer got lost may have happened: then nobody knows of those cases
        this.#doubtful = true;
        const cases = await claimCases(database.systemPool, workerId, wanted);
        this.#doubtful = false;
        return cases;
      },
      this.#options,
      signal,
      'Cases cannot be claimed',
    );
    for (const each of claimed) this.#held.set(each.id, each);
    return claimed;
  }

  /** Gives the cases to the lanes that wait for them. Returns those of runs that no lane works on any more. */
  #deal(demand: Demand, claimed: readonly ClaimedCase[]): ClaimedCase[] {
    const byRun = Map.groupBy(claimed, ({ runId }) => runId);
    for (const { run, count } of demand) {
      const cases = byRun.get(run.key.runId) ?? [];
      run.drained = cases.length < count;
      run.ready.push(...cases);
      while (run.waiting.length > 0 && run.ready.length > 0) run.waiting.shift()?.(run.ready.shift() ?? null);
      if (run.drained) this.#sendAway([run]);
    }
    return demand.filter(({ run }) => !this.#runs.has(run)).flatMap(({ run }) => run.ready.splice(0));
  }

  #sendAway(runs: readonly ActiveRun[]): void {
    for (const run of runs) for (const resolve of run.waiting.splice(0)) resolve(null);
  }
}

type Demand = { run: ActiveRun; count: number }[];
