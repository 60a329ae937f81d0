import { randomFillSync, randomInt } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import type { Clock, Random } from '../core/ports.ts';

/** The machine's own clock. */
export const systemClock: Clock = {
  now: () => new Date(),
  monotonicMs: () => performance.now(),
  sleep,
};

/** As in `node:timers/promises`, which makes an error with a stack of its own for each sleep that is cut short. */
function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const cut = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', cut);
      resolve();
    }, ms);
    if (signal.aborted) cut();
    else signal.addEventListener('abort', cut, { once: true });
  });
}

const letters = 'abcdefghijklmnopqrstuvwxyz0123456789';

/** Drawn for many ids at once: for each of them alone it takes as long as everything else about it. */
const drawn = new Uint8Array(4096);
let used = drawn.length;

function id(): string {
  if (used === drawn.length) {
    randomFillSync(drawn);
    used = 0;
  }
  used += 16;
  return uuidv7({ random: drawn.subarray(used - 16, used) });
}

/** The machine's own chance. */
export const systemRandom: Random = {
  id,
  token: (length) => Array.from({ length }, () => letters[randomInt(letters.length)]).join(''),
};
