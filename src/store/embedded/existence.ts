import { lstat } from 'node:fs/promises';
import { codeOf } from './errors.ts';

/** Whether anything stands at `path`, be it a broken link. */
export async function stands(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false;
    throw error;
  }
}
