import { chmod, lstat, mkdir } from 'node:fs/promises';
import { describeFileError, EmbeddedDatabaseError } from './errors.ts';

/** Holds what root keeps for the account that runs its server, when that account cannot reach the home or the
 *  installed programs. */
const systemDirectory = '/var/lib/assay';

/** Makes the system directory and checks that nobody but root can put anything into it. For root only. */
export async function prepareSystemDirectory(): Promise<string> {
  try {
    await mkdir(systemDirectory, { recursive: true });
    const found = await lstat(systemDirectory);
    if (!found.isDirectory() || found.uid !== 0 || (found.mode & 0o022) !== 0) {
      throw new EmbeddedDatabaseError(
        'home_not_writable',
        `${systemDirectory} must be a directory that only root can write (owner ${found.uid}, mode ${(found.mode & 0o777).toString(8)}). Correct it, or point ASSAY_HOME at a directory that every user may traverse.`,
      );
    }
    if ((found.mode & 0o055) !== 0o055) await chmod(systemDirectory, 0o755);
    return systemDirectory;
  } catch (error) {
    throw describeFileError(error, systemDirectory);
  }
}
