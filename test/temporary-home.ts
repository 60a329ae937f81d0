import { chmod, mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { shortHash } from '../src/store/embedded/data-directory.ts';
import { findPostmaster } from '../src/store/embedded/postmaster.ts';

/** Makes a home where the embedded database can keep its data, also when the tests run as root. */
export async function temporaryHome(): Promise<string> {
  const home = await realpath(await mkdtemp(join(tmpdir(), 'assay-home-')));
  await chmod(home, 0o755);
  return home;
}

/** Ends the server that still runs on the data directory of `home`, and removes everything that belongs to it. */
export async function removeHome(home: string): Promise<void> {
  const elsewhere = await readFile(join(home, 'pg.location'), 'utf8').catch(() => undefined);
  const dataDirectory = elsewhere?.trim() ?? join(home, 'pg');
  const running = await findPostmaster(dataDirectory);
  if (running) {
    process.kill(running.pid, 'SIGINT');
    while ((await findPostmaster(dataDirectory))?.pid === running.pid) await sleep(5);
  }
  await rm(join(tmpdir(), `assay-${shortHash(dataDirectory)}`), { recursive: true, force: true });
  if (elsewhere !== undefined) await rm(dirname(dataDirectory), { recursive: true, force: true });
  await rm(home, { recursive: true, force: true });
}
