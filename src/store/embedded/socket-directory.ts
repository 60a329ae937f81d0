import { chown, lstat, mkdir, rmdir, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Account, canReach } from './account.ts';
import { shortHash } from './data-directory.ts';
import { codeOf, EmbeddedDatabaseError } from './errors.ts';

/** Part of the socket's file name only: the server listens on no network. */
export const socketPort = 5432;

/** What the system's address structure holds, less the closing zero: 104 bytes on macOS, 108 on Linux. */
const longestSocketPath = 103;

/** Makes a directory for the socket of the server on `dataDirectory` that only `account` (and root) can enter.
 *  Throws `socket_directory` naming what is wrong with each candidate. */
export async function prepareSocketDirectory(dataDirectory: string, account: Account): Promise<string> {
  const name = `assay-${shortHash(dataDirectory)}`;
  // the runtime directory comes late: it vanishes when its user logs out, and a server may live longer
  const parents = [tmpdir(), '/tmp', process.env.XDG_RUNTIME_DIR].filter((parent) => parent !== undefined);
  const problems: string[] = [];
  for (const parent of new Set(parents)) {
    const directory = join(parent, name);
    const problem = (await problemOfParent(parent, account)) ?? (await problemOf(directory, account));
    if (problem === undefined) return directory;
    problems.push(`${directory}: ${problem}`);
  }
  throw new EmbeddedDatabaseError(
    'socket_directory',
    `The database needs a private directory for its socket, and none can be had: ${problems.join('; ')}. Remove what stands there, or set TMPDIR to a short path.`,
  );
}

async function problemOfParent(parent: string, account: Account): Promise<string | undefined> {
  const socket = join(parent, `assay-${'0'.repeat(12)}`, `.s.PGSQL.${socketPort}`);
  if (Buffer.byteLength(socket) > longestSocketPath)
    return `the path is longer than ${longestSocketPath} bytes`;
  try {
    if (!(await canReach(parent, account, 'pass'))) return `user ${account.uid} cannot enter ${parent}`;
    const { mode } = await stat(parent);
    // without the sticky bit, anybody could replace a directory in it
    if ((mode & 0o002) !== 0 && (mode & 0o1000) === 0) return `everybody can rename files in ${parent}`;
    return undefined;
  } catch (error) {
    return codeOf(error) ?? String(error);
  }
}

async function problemOf(directory: string, account: Account): Promise<string | undefined> {
  try {
    await mkdir(directory, { mode: 0o700 });
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') return codeOf(error) ?? String(error);
  }
  // a start as root that died here left it to root
  if (process.getuid?.() === 0 && (await lstat(directory)).uid === 0)
    await chown(directory, account.uid, account.gid);
  return problemOfSocketDirectory(directory, account);
}

/** Removes the directory of a server that ended, unless the next one has its socket there already. */
export async function removeSocketDirectory(directory: string): Promise<void> {
  try {
    await rmdir(directory);
  } catch (error) {
    // ENOENT: two that waited for the end tidy up
    if (!['ENOENT', 'ENOTEMPTY', 'EEXIST'].includes(codeOf(error) ?? '')) throw error;
  }
}

/** Why a socket in `directory` must not be trusted: somebody else could have put it there. */
export async function problemOfSocketDirectory(
  directory: string,
  account: Account,
): Promise<string | undefined> {
  const found = await lstat(directory).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  });
  if (!found?.isDirectory()) return found ? 'it is not a directory' : 'it is missing';
  if (found.uid !== account.uid) return `it belongs to user ${found.uid}, not ${account.uid}`;
  if ((found.mode & 0o077) !== 0) return `others can enter it (mode ${(found.mode & 0o777).toString(8)})`;
  return undefined;
}
