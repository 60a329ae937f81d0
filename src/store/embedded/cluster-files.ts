import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Account } from './account.ts';
import { codeOf, EmbeddedDatabaseError } from './errors.ts';

/** Looks at what stands at `path`. Returns the owner of a data directory whose parts are all there, or undefined
 *  when there is nothing yet. Throws when something else, an incomplete directory, one of another user or of another
 *  version of PostgreSQL (not `major`) stands there. */
export async function inspectCluster(
  path: string,
  current: Account,
  major: number,
): Promise<Account | undefined> {
  const owner = await statIfAny(path);
  if (!owner) return undefined;
  const names = await readdir(path).catch((error: unknown) => {
    if (codeOf(error) === 'ENOTDIR') throw foreignFiles(path, 'it is a file');
    if (codeOf(error) === 'EACCES') throw otherOwner(path, owner, current);
    throw error;
  });
  if (names.length === 0) return undefined;
  if (!names.includes('PG_VERSION') && !names.includes('global')) {
    throw foreignFiles(path, `it holds ${names.slice(0, 3).join(', ')}`);
  }
  if (owner.uid === 0 || (current.uid !== 0 && owner.uid !== current.uid))
    throw otherOwner(path, owner, current);
  await checkParts(path, major);
  return { uid: owner.uid, gid: owner.gid };
}

async function checkParts(path: string, major: number): Promise<void> {
  for (const part of ['PG_VERSION', 'global/pg_control', 'postgresql.conf', 'pg_hba.conf']) {
    const found = await statIfAny(join(path, part));
    if (!found || found.size === 0) throw damaged(path, `${part} is ${found ? 'empty' : 'missing'}`);
  }
  const text = (await readFile(join(path, 'PG_VERSION'), 'utf8')).trim();
  const version = Number(text);
  if (!Number.isInteger(version)) throw damaged(path, `PG_VERSION says ${JSON.stringify(text.slice(0, 40))}`);
  if (version > major) {
    throw new EmbeddedDatabaseError(
      'data_newer',
      `${path} was written by PostgreSQL ${version}, and this Assay brings PostgreSQL ${major}. Use the Assay that wrote it or a newer one; nothing was changed.`,
    );
  }
  if (version < major) {
    throw new EmbeddedDatabaseError(
      'data_older',
      `${path} was written by PostgreSQL ${version}, and this Assay brings PostgreSQL ${major}. Make a backup with the Assay that wrote it and restore it into a new home; nothing was changed.`,
    );
  }
}

async function statIfAny(path: string) {
  try {
    return await stat(path);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** `what` is wrong with the data directory; only a backup brings it back. */
export function damaged(path: string, what: string): EmbeddedDatabaseError {
  return new EmbeddedDatabaseError(
    'data_damaged',
    `The data directory ${path} is damaged: ${what}. Restore it from a backup, or move it away to start with an empty database.`,
  );
}

/** Something other than Assay's data directory stands at `path`. */
export function foreignFiles(path: string, what: string): EmbeddedDatabaseError {
  return new EmbeddedDatabaseError(
    'foreign_files',
    `${path} is not a data directory of Assay: ${what}. Move it away, or point ASSAY_HOME at another directory; nothing was changed.`,
  );
}

function otherOwner(path: string, owner: Account, current: Account): EmbeddedDatabaseError {
  return new EmbeddedDatabaseError(
    'other_owner',
    `${path} belongs to user ${owner.uid} and cannot be used by user ${current.uid}. ${
      owner.uid === 0
        ? 'PostgreSQL never runs as root: give the directory back to the user who made it (chown -R).'
        : 'Run as that user or as root, or point ASSAY_HOME at another directory.'
    }`,
  );
}
