import type { Clock } from '../../../core/ports.ts';
import type { Database } from '../../../store/database.ts';
import { type LanePlace, leaveOtherPlaces, leavePlaces, takePlaces } from '../../../store/lane.ts';
import type { RunKey } from '../../../store/test-run.ts';
import { retrying } from './database-trouble.ts';
import { inRounds } from './rounds.ts';

export interface LanePlacesOptions {
  database: Database;
  clock: Clock;
  workerId: string;
  signal: AbortSignal;
  report(message: string, error: unknown): void;
}

/** A lane's place in its run, and the run's token. */
export interface TakenPlace extends LanePlace {
  token: string;
}

interface Request {
  key: RunKey;
  answer(place: TakenPlace | null): void;
}

/** Takes and leaves the places of all lanes of this process, with one statement at a time. No two lanes ever have the
 *  same place, so a run never has more lanes than its `parallel` allows, however many jobs the queue holds. */
export class LanePlaces {
  readonly #options: LanePlacesOptions;
  #requests: Request[] = [];
  #left: LanePlace[] = [];
  readonly #held = new Set<LanePlace>();
  #doubtful = false;
  readonly #work = inRounds(
    () => this.#pending(),
    (pending) => this.#settle(pending),
  );

  constructor(options: LanePlacesOptions) {
    this.#options = options;
  }

  /** null: the run is over, has all its lanes, or this worker may work no more. */
  take(key: RunKey): Promise<TakenPlace | null> {
    return new Promise((answer) => {
      this.#requests.push({ key, answer });
      void this.#work();
    });
  }

  leave(place: LanePlace): void {
    this.#held.delete(place);
    this.#left.push(place);
    void this.#work();
  }

  /** Resolves when everything is taken and left. */
  async settled(): Promise<void> {
    await this.#work();
  }

  #pending() {
    const pending = { requests: this.#requests.splice(0), left: this.#left.splice(0) };
    return pending.requests.length + pending.left.length > 0 ? pending : null;
  }

  async #settle({ requests, left }: { requests: Request[]; left: LanePlace[] }): Promise<void> {
    try {
      if (left.length > 0) await this.#retrying((pool, workerId) => leavePlaces(pool, workerId, left));
      if (requests.length > 0) await this.#take(requests);
    } catch (error) {
      if (!this.#options.signal.aborted) this.#options.report('Lanes cannot take their places', error);
      for (const { answer } of requests) answer(null);
    }
  }

  async #take(requests: readonly Request[]): Promise<void> {
    const byRun = Map.groupBy(requests, ({ key }) => key.runId);
    const wanted = [...byRun.values()].flatMap((all) =>
      all.slice(0, 1).map(({ key }) => ({ ...key, count: all.length })),
    );
    const granted = await this.#retrying(async (pool, workerId) => {
      if (this.#doubtful) await leaveOtherPlaces(pool, workerId, [...this.#held, ...this.#left]);
      // where the answer gets lost the places may be taken, and nobody knows of them
      this.#doubtful = true;
      const taken = await takePlaces(pool, workerId, wanted);
      this.#doubtful = false;
      return taken;
    });
    for (const [runId, all] of byRun) {
      const run = granted.find((each) => each.runId === runId);
      for (const request of all) {
        const slot = run?.slots.shift();
        if (run !== undefined && slot !== undefined) {
          const place = { ...request.key, token: run.token, slot };
          this.#held.add(place);
          request.answer(place);
        } else if (run?.contested === true) this.#requests.push(request);
        else request.answer(null);
      }
    }
  }

  #retrying<Result>(
    work: (pool: Database['systemPool'], workerId: string) => Promise<Result>,
  ): Promise<Result> {
    const { database, workerId, signal } = this.#options;
    return retrying(
      () => work(database.systemPool, workerId),
      this.#options,
      signal,
      'Lanes cannot take their places',
    );
  }
}
