import type { ClaimedCase } from '../../../store/test-result.ts';
import type { RunKey } from '../../../store/test-run.ts';

/** Cases that take less than this are claimed ahead of need; for longer ones the claim takes no time worth the name. */
const shortMs = 100;
/** So much work is held ready for each lane, or one case where that is more: each claim waits for the disk. */
const readyMs = 10;
const readyLimit = 5;
const newestShare = 0.2;

/** A run as far as this process works on it. */
export class ActiveRun {
  readonly key: RunKey;
  readonly token: string;
  /** Lanes of this process that work on it. */
  lanes = 0;
  /** Claimed and not started, in order. */
  readonly ready: ClaimedCase[] = [];
  /** Lanes that wait for a case; null tells that none is queued. */
  readonly waiting: ((claimed: ClaimedCase | null) => void)[] = [];
  /** The last claim left nothing queued. */
  drained = false;
  #typicalMs: number | null = null;
  #paceKnown = Promise.withResolvers<void>();
  #stopped: Error | null = null;
  readonly #cases = new Set<AbortController>();

  constructor(key: RunKey, token: string) {
    this.key = key;
    this.token = token;
  }

  /** How long its cases take here; unknown until one has ended. */
  get pace(): 'unknown' | 'short' | 'long' {
    if (this.#typicalMs === null) return 'unknown';
    return this.#typicalMs < shortMs ? 'short' : 'long';
  }

  /** Resolves when the pace is known. */
  get paceKnown(): Promise<void> {
    return this.#paceKnown.promise;
  }

  /** How many cases to hold ready, so that no lane waits for the database: one for each lane while cases are short, a few
   *  while they take next to no time. */
  get ahead(): number {
    if (this.#typicalMs === null || this.#typicalMs >= shortMs) return 0;
    return this.lanes * Math.min(Math.max(Math.round(readyMs / this.#typicalMs), 1), readyLimit);
  }

  noteDuration(ms: number): void {
    this.#typicalMs = this.#typicalMs === null ? ms : this.#typicalMs * (1 - newestShare) + ms * newestShare;
    this.#paceKnown.resolve();
  }

  get stopped(): boolean {
    return this.#stopped !== null;
  }

  /** A signal of its own for each case, so that nothing piles up on one that lives as long as the run. */
  startCase(): AbortController {
    const controller = new AbortController();
    if (this.#stopped === null) this.#cases.add(controller);
    else controller.abort(this.#stopped);
    return controller;
  }

  endCase(controller: AbortController): void {
    this.#cases.delete(controller);
  }

  /** Stops the cases that run, and lets no further one start. */
  stop(reason: Error): void {
    this.#stopped ??= reason;
    for (const controller of this.#cases) controller.abort(reason);
  }
}
