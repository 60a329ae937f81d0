import { link, open, readdir, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { codeOf } from './errors.ts';
import { parseLockFile } from './lock-file.ts';
import { servesDirectory } from './server-process.ts';

/** A server writes its lock file at once after making it: one without a pid of this age was left by a crash. */
const unwrittenForMs = 2_000;
/** Whoever claims a lock file removes it at once: a claim of this age on a file that still stands was left by a crash. */
const claimedForMs = 5_000;
/** A process that read a lock file this long ago has acted on it by now. */
const claimKeptForMs = 3_600_000;

/** Clears the way for a server: removes a lock file that a dead one left. Returns false while there is one that must
 *  not be removed, because a server runs or another process is clearing the way: look again.
 *
 *  PostgreSQL removes such files by itself, but not when another program of the same user has the pid by now, and not
 *  safely when two servers start at once: the second one may remove the new file of the first, which then gives up a
 *  minute later. So no server is started beside a stale file, and each stale file is removed by one process only: by
 *  the one that made the link which claims it. */
export async function clearStaleLock(lockFile: string, dataDirectory: string): Promise<boolean> {
  const found = await read(lockFile);
  if (!found) return true;
  const pid = parseLockFile(found.text)?.pid;
  const stale =
    pid === undefined ? found.ageMs > unwrittenForMs : !(await servesDirectory(pid, dataDirectory));
  if (!stale || !(await claim(lockFile, found.identity))) return false;
  await rm(lockFile, { force: true });
  await removeOldClaims(lockFile);
  return true;
}

interface Found {
  text: string;
  ageMs: number;
  /** Different for every lock file that ever stood there. */
  identity: string;
}

async function read(path: string): Promise<Found | undefined> {
  try {
    const handle = await open(path, 'r');
    try {
      const { ino, mtimeNs, mtimeMs } = await handle.stat({ bigint: true });
      const text = await handle.readFile('utf8');
      return { text, ageMs: Date.now() - Number(mtimeMs), identity: `${ino}-${mtimeNs}` };
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Makes the link that only one process can make for this very file. */
async function claim(lockFile: string, identity: string): Promise<boolean> {
  for (let round = 0; ; round += 1) {
    const mark = `${lockFile}.stale-${identity}-${round}`;
    try {
      await link(lockFile, mark);
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return false;
      if (codeOf(error) !== 'EEXIST') throw error;
      if (Date.now() - (await stat(mark)).ctimeMs < claimedForMs) return false;
      continue;
    }
    const linked = await read(mark);
    if (linked?.identity === identity) return true;
    // somebody removed the stale file by hand, and a new one stands there
    await rm(mark);
    return false;
  }
}

async function removeOldClaims(lockFile: string): Promise<void> {
  const folder = dirname(lockFile);
  for (const name of await readdir(folder)) {
    if (!name.startsWith(`${basename(lockFile)}.stale-`)) continue;
    const path = join(folder, name);
    const { ctimeMs } = await stat(path);
    if (Date.now() - ctimeMs > claimKeptForMs) await rm(path, { force: true });
  }
}
