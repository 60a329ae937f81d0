import { randomFillSync, randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { v7 as uuidv7 } from 'uuid';
import type { Clock, Random } from '../src/core/ports.ts';

export const systemClock: Clock = {
  now: () => new Date(),
  monotonicMs: () => performance.now(),
  sleep: (ms, signal) => sleep(ms, undefined, { signal }),
};

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

export const systemRandom: Random = {
  id,
  token: (length) => Array.from({ length }, () => letters[randomInt(letters.length)]).join(''),
};
