import type { Clock } from '../../../core/ports.ts';
import type { Database } from '../../../store/database.ts';
import type { RunKey } from '../../../store/test-run.ts';
import { Recorder } from '../recording/recorder.ts';
import { ActiveRun } from './active-run.ts';
import { Claimer } from './claimer.ts';
import { LanePlaces } from './lane-places.ts';
import type { Lease } from './lease.ts';

export interface SessionOptions {
  database: Database;
  clock: Clock;
  report(message: string, error: unknown): void;
}

/** Everything that this process does as one living worker. Where the worker is taken for dead the next session starts
 *  under a new id, so that nothing of the old one can be mistaken for it. */
export class Session {
  readonly workerId: string;
  readonly lease: Lease;
  readonly claimer: Claimer;
  readonly recorder: Recorder;
  readonly places: LanePlaces;
  readonly runs = new Map<string, ActiveRun>();
  readonly #lanes = new Set<Promise<void>>();
  readonly #noMore = new AbortController();

  constructor(workerId: string, lease: Lease, options: SessionOptions) {
    this.workerId = workerId;
    this.lease = lease;
    const parts = { ...options, workerId, signal: this.#noMore.signal };
    this.claimer = new Claimer(parts);
    this.places = new LanePlaces(parts);
    this.recorder = new Recorder({ ...parts, onSettled: (claimed) => this.claimer.settle(claimed) });
  }

  /** No further case starts here. */
  get over(): boolean {
    return this.#noMore.signal.aborted;
  }

  startNoMore(): void {
    this.#noMore.abort();
  }

  /** Stops what is running. */
  stop(reason: Error): void {
    this.startNoMore();
    for (const run of this.runs.values()) run.stop(reason);
  }

  /** The run as this process works on it, entered by a lane. */
  enter(key: RunKey, token: string): ActiveRun {
    const run = this.runs.get(key.runId) ?? new ActiveRun(key, token);
    this.runs.set(key.runId, run);
    run.lanes += 1;
    return run;
  }

  /** True for the last lane to leave. */
  leave(run: ActiveRun): boolean {
    run.lanes -= 1;
    if (run.lanes > 0) return false;
    this.runs.delete(run.key.runId);
    return true;
  }

  /** Keeps `lane` in mind until it ends. */
  async track(lane: Promise<void>): Promise<void> {
    this.#lanes.add(lane);
    try {
      await lane;
    } finally {
      this.#lanes.delete(lane);
    }
  }

  /** Resolves when no lane is at work. */
  async idle(): Promise<void> {
    await Promise.allSettled(this.#lanes);
  }
}
