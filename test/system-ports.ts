import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { v7 as uuidv7 } from 'uuid';
import type { Clock, Random } from '../src/core/ports.ts';

export const systemClock: Clock = {
  now: () => new Date(),
  monotonicMs: () => performance.now(),
  sleep: (ms, signal) => sleep(ms, undefined, { signal }),
};

const letters = 'abcdefghijklmnopqrstuvwxyz0123456789';

export const systemRandom: Random = {
  id: () => uuidv7(),
  token: (length) => Array.from({ length }, () => letters[randomInt(letters.length)]).join(''),
};
