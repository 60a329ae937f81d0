import type { Clock } from '../../../core/ports.ts';

/** So long a lane waits to have a slot again. After that it goes on with one too many: the time that its agent and its
 *  calls have is running, and to let it run out would make the case an error that it is not. */
const patienceMs = 2_000;

/** One slot of this process while it has a lane. */
export interface Slot {
  /** It is for runs that just started. */
  readonly reserved: boolean;
  /** A lane waits to have a slot again: whoever has one should make way soon. */
  readonly wanted: boolean;
  /** Does something that waits for lanes. They may have this slot meanwhile, and afterwards the next free one is taken. A
   *  lane whose signal aborts does not wait for it. */
  whileWaiting<Result>(work: () => Promise<Result>, signal: AbortSignal): Promise<Result>;
}

/** The slots of a process that are for one kind of lanes. */
export class Slots {
  readonly reserved: boolean;
  /** Negative: so many more are in use than there are. */
  #free: number;
  readonly #returning: (() => void)[] = [];
  readonly #clock: Clock;

  constructor(count: number, reserved: boolean, clock: Clock) {
    this.#free = count;
    this.reserved = reserved;
    this.#clock = clock;
  }

  /** Takes all free ones, and says how many that are. */
  takeFree(): number {
    const count = Math.max(this.#free, 0);
    this.#free -= count;
    return count;
  }

  /** Gives some back. Lanes that gave theirs while they waited come before those that are new. */
  release(count: number): void {
    for (let left = count; left > 0; left--) {
      const next = this.#free < 0 ? undefined : this.#returning.shift();
      if (next === undefined) this.#free++;
      else next();
    }
  }

  /** A slot that was taken, for one lane. `wake` is called when others may have it. `end` gives it back. */
  hold(wake: () => void): { slot: Slot; end(): void } {
    const { reserved } = this;
    const wanted = () => this.#returning.length > 0;
    let held = true;
    let over = false;
    let waits = 0;
    let returning: Promise<void> | null = null;

    const give = () => {
      held = false;
      this.release(1);
      wake();
    };
    const takeBack = async (signal: AbortSignal) => {
      await this.#take(signal);
      returning = null;
      held = true;
      if (over) give();
    };
    return {
      slot: {
        reserved,
        get wanted() {
          return wanted();
        },
        async whileWaiting(work, signal) {
          while (returning !== null) await returning;
          waits++;
          if (waits === 1 && !over) give();
          try {
            return await work();
          } finally {
            waits--;
            if (waits === 0 && !over) {
              returning = takeBack(signal);
              await returning;
            }
          }
        },
      },
      end() {
        over = true;
        if (held) give();
      },
    };
  }

  async #take(signal: AbortSignal): Promise<void> {
    if (this.#free > 0) {
      this.#free--;
      return;
    }
    const had = new AbortController();
    const have = () => had.abort();
    this.#returning.push(have);
    await this.#clock.sleep(patienceMs, AbortSignal.any([signal, had.signal])).catch(() => {});
    if (had.signal.aborted) return;
    this.#returning.splice(this.#returning.indexOf(have), 1);
    this.#free--;
  }
}
