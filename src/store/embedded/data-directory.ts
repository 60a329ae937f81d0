import { createHash } from 'node:crypto';
import { chown, link, lstat, mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { type Account, canReach, serverAccount } from './account.ts';
import { codeOf, describeFileError, EmbeddedDatabaseError } from './errors.ts';
import { prepareSystemDirectory } from './system-directory.ts';

/** Names the data directory when it cannot stand in the home. */
const pointerName = 'pg.location';

export interface DataDirectory {
  path: string;
  /** Who runs the server on it. */
  account: Account;
  state: 'absent' | 'present';
}

/** Makes the home where it is missing. Returns its real path. */
export async function prepareHome(home: string, current: Account): Promise<string> {
  try {
    // root's server runs as another account, which has to pass through the home to its own directory
    await mkdir(home, { recursive: true, mode: current.uid === 0 ? 0o711 : 0o700 });
    return await realpath(home);
  } catch (error) {
    throw describeFileError(error, home);
  }
}

/** Where the data directory of `home` is, or has to be made: `pg` in the home; when the account of root's server
 *  cannot reach the home, a place of that account's own, which a file in the home names.
 *  Throws when something else, an incomplete directory or another version of PostgreSQL (not `major`) is there. */
export async function findDataDirectory(home: string, current: Account, major: number): Promise<DataDirectory> {
  const path = await locate(home, current);
  const found = await describe(path, major);
  if (!found) return { path, account: serverAccount(current), state: 'absent' };
  const { owner, complete } = found;
  if (owner.uid === 0 || (current.uid !== 0 && owner.uid !== current.uid)) {
    throw new EmbeddedDatabaseError(
      'other_owner',
      `${path} belongs to user ${owner.uid} and cannot be used by user ${current.uid}. ${
        owner.uid === 0
          ? 'PostgreSQL never runs as root: give the directory back to the user who made it (chown -R).'
          : 'Run as that user or as root, or point ASSAY_HOME at another directory.'
      }`,
    );
  }
  return { path, account: owner, state: complete ? 'present' : 'absent' };
}

async function locate(home: string, current: Account): Promise<string> {
  const inHome = join(home, 'pg');
  const elsewhere = await readPointer(home);
  if (elsewhere !== undefined) return elsewhere;
  if (current.uid !== 0 || (await canReach(home, serverAccount(current), 'pass'))) return inHome;
  // a user's own home that root opens is private too, but its data stay where they are
  if ((await describeAny(inHome)) !== undefined) return inHome;
  return placeElsewhere(home, serverAccount(current));
}
