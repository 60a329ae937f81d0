import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from './errors.ts';
import { type LockFile, parseLockFile } from './lock-file.ts';
import { servesDirectory } from './server-process.ts';

/** A server that runs. */
export type Postmaster = LockFile;

/** The server that runs on `dataDirectory`, checked to be a PostgreSQL on that very directory; undefined when there
 *  is none, whatever a file that a dead server left behind says. */
export async function findPostmaster(dataDirectory: string): Promise<Postmaster | undefined> {
  let text: string;
  try {
    text = await readFile(join(dataDirectory, 'postmaster.pid'), 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
  const found = parseLockFile(text);
  return found && (await servesDirectory(found.pid, dataDirectory)) ? found : undefined;
}
