import { randomBytes } from 'node:crypto';
import { link, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from './errors.ts';
import { isAlive, servesDirectory } from './server-process.ts';

/** A server that runs on a data directory, as its `postmaster.pid` describes it. */
export interface Postmaster {
  pid: number;
  /** Empty while it is just starting. */
  socketDirectory: string;
  status: 'starting' | 'ready' | 'stopping';
}

/** The server that runs on `dataDirectory`, checked to be a PostgreSQL on that very directory; undefined when there
 *  is none, whatever a file that a dead server left behind says. */
export async function findPostmaster(dataDirectory: string): Promise<Postmaster | undefined> {
  const text = await readIfAny(join(dataDirectory, 'postmaster.pid'));
  const postmaster = text === undefined ? undefined : parse(text);
  if (!postmaster || !(await servesDirectory(postmaster.pid, dataDirectory))) return undefined;
  return postmaster;
}

/** Lines: pid, data directory, start time, port, socket directory, listen address, shared memory, status. They are
 *  written as the server gets that far. A single-user server writes its pid negated: it accepts nobody. */
function parse(text: string): Postmaster | undefined {
  const lines = text.split('\n');
  const pid = Math.abs(Number(lines[0]));
  if (!Number.isInteger(pid) || pid <= 1) return undefined;
  const status = lines[7]?.trim();
  return {
    pid,
    socketDirectory: lines[4] ?? '',
    status: status === 'ready' || status === 'stopping' ? status : 'starting',
  };
}

/** A server writes its lock file at once after making it: one without a pid of this age was left by a crash. */
const unwrittenForMs = 2_000;

/** PostgreSQL removes the lock files of a dead server by itself, except when another process of the same user has its
 *  pid by now, or when it died before it wrote one: then it refuses to start. Takes such a lock file out of the way. */
export async function removeStaleLock(lockFile: string, dataDirectory: string): Promise<void> {
  const text = await readIfAny(lockFile);
  if (text === undefined) return;
  const pid = parse(text)?.pid;
  const stale =
    pid === undefined
      ? await isOlder(lockFile, unwrittenForMs)
      : isAlive(pid) && !(await servesDirectory(pid, dataDirectory));
  if (!stale) return;
  // a server that starts at this moment replaces the file: look at what was taken before it is thrown away
  const taken = `${lockFile}.${randomBytes(6).toString('hex')}`;
  try {
    await rename(lockFile, taken);
    if ((await readFile(taken, 'utf8')) !== text) await link(taken, lockFile);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT' && codeOf(error) !== 'EEXIST') throw error;
  } finally {
    await rm(taken, { force: true });
  }
}

async function isOlder(path: string, ms: number): Promise<boolean> {
  const found = await stat(path).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  });
  return found !== undefined && Date.now() - found.mtimeMs > ms;
}

async function readIfAny(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}
