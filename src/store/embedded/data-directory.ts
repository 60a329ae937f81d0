import { createHash, randomBytes } from 'node:crypto';
import { chown, link, mkdir, mkdtemp, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, isAbsolute, join } from 'node:path';
import { type Account, canReach, serverAccount } from './account.ts';
import { codeOf, describeFileError, EmbeddedDatabaseError } from './errors.ts';
import { stands } from './existence.ts';
import { prepareSystemDirectory } from './system-directory.ts';

/** The data directory of a home. */
export interface DataDirectory {
  path: string;
  /** Who runs the server on it. */
  account: Account;
}

/** Makes the home where it is missing. Returns its real path. */
export async function prepareHome(home: string, current: Account): Promise<string> {
  try {
    // root's server runs as another account, which has to pass through the home to its own directory
    await makeDirectory(home, current.uid === 0 ? 0o711 : 0o700);
    return await realpath(home);
  } catch (error) {
    throw describeFileError(error, home);
  }
}

/** Makes a directory and what is missing above it. Node's own way to do so never ends where the directory above stands
 *  and a new one in it still "does not exist", as in /proc. */
async function makeDirectory(path: string, mode: number): Promise<void> {
  if (!(await stands(dirname(path)))) await makeDirectory(dirname(path), mode);
  try {
    await mkdir(path, { mode });
  } catch (error) {
    const isThere = codeOf(error) === 'EEXIST' && (await stat(path)).isDirectory();
    if (!isThere) throw error;
  }
}

/** Where the data directory of `home` is, or has to be made: `pg` in the home; when the account of root's server
 *  cannot reach the home, a place of that account's own, which the file `pg.location` in the home names. */
export async function locateDataDirectory(home: string, current: Account): Promise<string> {
  const inHome = join(home, 'pg');
  const pointer = join(home, 'pg.location');
  const server = serverAccount(current);
  const named = await readPointer(pointer);
  if (named !== undefined) return named;
  if (current.uid !== 0 || (await stands(inHome)) || (await canReach(home, server, 'pass'))) return inHome;
  return placeElsewhere(home, pointer, server);
}

/** Short enough for a socket path, and different for every directory. */
export function shortHash(path: string): string {
  return createHash('sha256').update(path).digest('hex').slice(0, 12);
}

async function readPointer(pointer: string): Promise<string | undefined> {
  let path: string;
  try {
    path = (await readFile(pointer, 'utf8')).trim();
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw describeFileError(error, pointer);
  }
  // an empty database in its place would look as if everything had been deleted
  if (!isAbsolute(path) || !(await stands(dirname(path)))) {
    throw new EmbeddedDatabaseError(
      'data_missing',
      `The data directory is ${JSON.stringify(path)} according to ${pointer}, but it is not there. Put it back, or delete ${pointer} to start with an empty database.`,
    );
  }
  return path;
}

/** A directory that only the server's account can enter. Its name ends at random: a home that was deleted and made
 *  anew must not find the data of the old one. */
async function placeElsewhere(home: string, pointer: string, server: Account): Promise<string> {
  const folder = await mkdtemp(join(await prepareSystemDirectory(), `${shortHash(home)}-`));
  await chown(folder, server.uid, server.gid);
  const path = join(folder, 'pg');
  const draft = `${pointer}.${randomBytes(6).toString('hex')}`;
  try {
    await writeFile(draft, `${path}\n`, { mode: 0o600 });
    await link(draft, pointer);
    return path;
  } catch (error) {
    await rm(folder, { recursive: true });
    // another process that starts now chose a place first
    if (codeOf(error) === 'EEXIST') return locateDataDirectory(home, { uid: 0, gid: 0 });
    throw describeFileError(error, pointer);
  } finally {
    await rm(draft, { force: true });
  }
}
