import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { spawnAs } from './account.ts';
import type { Binaries } from './binaries.ts';
import type { DataDirectory } from './data-directory.ts';
import { explainFailure } from './failure.ts';
import { findPostmaster } from './postmaster.ts';
import { doesNotRun, serverEnvironment } from './run.ts';
import { openServerLog } from './server-log.ts';
import { serverArguments } from './settings.ts';
import { prepareSocketDirectory, socketPort } from './socket-directory.ts';
import { clearStaleLock } from './stale-lock.ts';

/** How often to look whether a server is ready, or gone: a look costs a small file. */
const lookEveryMs = 5;

/** A server that ends with these words lost the race for its lock file to another one on the same directory, or met the
 *  last processes of a server that was killed. */
const gaveWay =
  /FATAL: .*(lock file ".*(already exists|is empty|No such file or directory|File exists)|bogus data in lock file|pre-existing shared memory block)/;

/** Starts a server that lives on when this process dies, and waits until it accepts connections. Returns its pid, or
 *  why it gave way when another server is or was on the directory: look again. Throws when it ends for another reason,
 *  with the last lines of its log, and an AbortError when `signal` ends the wait (the server then goes on starting). */
export async function startServer(
  home: string,
  data: DataDirectory,
  binaries: Binaries,
  options: { fsync: boolean; signal: AbortSignal },
): Promise<{ pid: number } | { gaveWay: string }> {
  const socketDirectory = await prepareSocketDirectory(data.path, data.account);
  for (const lock of [
    join(data.path, 'postmaster.pid'),
    join(socketDirectory, `.s.PGSQL.${socketPort}.lock`),
  ]) {
    if (!(await clearStaleLock(lock, data.path))) return { gaveWay: `${lock} is in use` };
  }
  const log = await openServerLog(home, data.account);
  try {
    const child = spawn(binaries.postgres, serverArguments(data.path, socketDirectory, options.fsync), {
      cwd: '/',
      // its own session: neither the end of this process nor Ctrl-C in its terminal reaches the server
      detached: true,
      stdio: ['ignore', log.handle.fd, log.handle.fd],
      env: serverEnvironment(),
      ...spawnAs(data.account),
    });
    child.unref();
    const ended = new Promise<'ended'>((resolve, reject) => {
      child.once('error', (error) => reject(doesNotRun(binaries.postgres, data.account, error)));
      child.once('exit', () => resolve('ended'));
    });
    for (;;) {
      const outcome = await Promise.race([ended, sleep(lookEveryMs, 'waiting', { signal: options.signal })]);
      if (outcome === 'ended') return explainEnd(data.path, await log.lastLines());
      const running = await findPostmaster(data.path);
      if (running && running.pid === child.pid && running.status === 'ready') return { pid: running.pid };
    }
  } finally {
    await log.handle.close();
  }
}

function explainEnd(dataDirectory: string, lines: string[]): { gaveWay: string } {
  const reason = lines.find((line) => gaveWay.test(line));
  if (reason === undefined) throw explainFailure('start_failed', dataDirectory, lines);
  return { gaveWay: reason };
}
