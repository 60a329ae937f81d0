// Plain JavaScript for Node 18 and later, built-ins only: it runs before anything is installed.
import { mkdirSync, readdirSync, rmdirSync, statSync, utimesSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const HEARTBEAT_MS = 1000;
const STALE_MS = 15_000;
const POLL_MS = 200;

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * Runs `act` while no other process of this checkout does. The lock is a folder with one numbered folder inside;
 * its holder touches the number, and whoever finds it untouched for 15 s makes the next number. Creating a folder
 * is atomic, so of several waiters exactly one takes over. A signal aborts `act` by the AbortSignal it is handed;
 * the lock is free when `act` has ended, and only then the signal ends this process.
 */
export async function withLock(folder, act, onWait) {
  const held = await acquire(folder, onWait);
  const heartbeat = setInterval(() => touch(held), HEARTBEAT_MS);
  const stop = new AbortController();
  let received;
  const abort = (signal) => {
    received ??= signal;
    stop.abort();
  };
  for (const signal of SIGNALS) process.on(signal, abort);
  try {
    return await act(stop.signal);
  } finally {
    clearInterval(heartbeat);
    release(folder, held);
    for (const signal of SIGNALS) process.off(signal, abort);
    if (received) process.kill(process.pid, received);
  }
}

async function acquire(folder, onWait) {
  let told = false;
  for (;;) {
    attempt(() => mkdirSync(folder), 'EEXIST');
    const newest = numbers(folder).at(-1) ?? 0;
    if (newest === 0 || isStale(path.join(folder, String(newest)))) {
      const next = path.join(folder, String(newest + 1));
      const made = attempt(() => [mkdirSync(next)], 'EEXIST', 'ENOENT');
      if (made) return next;
    }
    if (!told) onWait();
    told = true;
    await sleep(POLL_MS);
  }
}

function isStale(held) {
  const stat = attempt(() => statSync(held), 'ENOENT');
  return stat !== undefined && Date.now() - stat.mtimeMs > STALE_MS;
}

/** Removes the holder's number and those it took over from, its own last, then the lock if nobody came after. */
function release(folder, held) {
  for (const number of numbers(folder)) {
    const entry = path.join(folder, String(number));
    if (number <= Number(path.basename(held))) attempt(() => rmdirSync(entry), 'ENOENT');
  }
  attempt(() => rmdirSync(folder), 'ENOENT', 'ENOTEMPTY', 'EEXIST');
}

function touch(held) {
  attempt(() => utimesSync(held, new Date(), new Date()), 'ENOENT');
}

function numbers(folder) {
  const names = attempt(() => readdirSync(folder), 'ENOENT') ?? [];
  return names.map(Number).sort((a, b) => a - b);
}

function attempt(act, ...expected) {
  try {
    return act();
  } catch (error) {
    if (!expected.includes(error.code)) throw error;
    return undefined;
  }
}
