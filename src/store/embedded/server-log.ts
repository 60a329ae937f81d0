import { constants } from 'node:fs';
import { type FileHandle, open, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Account } from './account.ts';
import { codeOf, describeFileError } from './errors.ts';

const largestBytes = 1024 * 1024;
const mostLines = 12;
/** What everybody hears who connects too early or too late: it would crowd out the lines that say why. */
const refusal = /FATAL: {2}the database system is /;

/** The file that a server writes its log to, from the moment it was opened for one start. */
export interface ServerLog {
  path: string;
  handle: FileHandle;
  /** The last lines written since then. */
  lastLines(): Promise<string[]>;
}

/** Opens `pg.log` in the home for a server that starts as `account`. A large one becomes `pg.log.1` first. */
export async function openServerLog(home: string, account: Account): Promise<ServerLog> {
  const path = join(home, 'pg.log');
  try {
    await setAsideWhenLarge(path);
    // the home may belong to somebody else than us: never follow a link out of it
    const { O_APPEND, O_CREAT, O_NOFOLLOW, O_RDWR } = constants;
    const handle = await open(path, O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW, 0o600);
    if (process.getuid?.() === 0) await handle.chown(account.uid, account.gid);
    const { size } = await handle.stat();
    return { path, handle, lastLines: () => readLines(handle, size) };
  } catch (error) {
    throw describeFileError(error, path);
  }
}

/** The last lines of the log of a server that runs. */
export async function readServerLog(home: string): Promise<string[]> {
  const path = join(home, 'pg.log');
  try {
    const handle = await open(path, 'r');
    return await readLines(handle, 0).finally(() => handle.close());
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return [];
    throw describeFileError(error, path);
  }
}

async function setAsideWhenLarge(path: string): Promise<void> {
  try {
    if ((await stat(path)).size > largestBytes) await rename(path, `${path}.1`);
  } catch (error) {
    // ENOENT: there is none yet, or another process that starts now set it aside
    if (codeOf(error) !== 'ENOENT') throw error;
  }
}

async function readLines(handle: FileHandle, from: number): Promise<string[]> {
  const { size } = await handle.stat();
  const length = Math.min(size - from, 64 * 1024);
  if (length <= 0) return [];
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, size - length);
  const lines = buffer.toString('utf8', 0, bytesRead).trim().split('\n');
  return lines.filter((line) => !refusal.test(line)).slice(-mostLines);
}
