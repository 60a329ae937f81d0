import { randomBytes } from 'node:crypto';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { codeOf } from './errors.ts';

/** Nothing takes this long to build: a half-built directory of this age was left by a process that died. */
const abandonedAfterMs = 10 * 60_000;

/** Builds a directory beside `target` and moves it there whole, so that `target` is complete or not there at all,
 *  whoever dies when. Returns false when another process placed one first; ours is then discarded. */
export async function placeDirectory(
  target: string,
  build: (temporary: string) => Promise<void>,
): Promise<boolean> {
  await removeAbandoned(target);
  const temporary = `${target}.new-${randomBytes(6).toString('hex')}`;
  try {
    await mkdir(temporary, { mode: 0o700 });
    await build(temporary);
    await rename(temporary, target);
    await syncDirectory(dirname(target));
    return true;
  } catch (error) {
    await rm(temporary, { recursive: true, force: true });
    if (codeOf(error) === 'ENOTEMPTY' || codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

async function removeAbandoned(target: string): Promise<void> {
  const parent = dirname(target);
  for (const name of await readdir(parent)) {
    if (!name.startsWith(`${basename(target)}.new-`)) continue;
    const path = join(parent, name);
    const changed = await stat(path).catch((error: unknown) => {
      // its maker finished between our two looks
      if (codeOf(error) === 'ENOENT') return undefined;
      throw error;
    });
    if (changed && Date.now() - changed.mtimeMs > abandonedAfterMs) {
      await rm(path, { recursive: true, force: true });
    }
  }
}

async function syncDirectory(path: string): Promise<void> {
  const handle = await open(path, 'r');
  await handle.sync().finally(() => handle.close());
}
