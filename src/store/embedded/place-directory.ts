import { randomBytes } from 'node:crypto';
import { mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { codeOf } from './errors.ts';
import { isAlive } from './server-process.ts';

/** Nothing takes this long to build: a half-built directory of this age was left by a process that died. */
const abandonedAfterMs = 10 * 60_000;
/** The pid of a process that died may belong to another program by now, which is not worth more patience. */
const patienceMs = 30_000;
const lookEveryMs = 20;

/** A directory that a process builds, to take the place of the target. */
interface Draft {
  path: string;
  begunAt: number;
  pid: number;
}

/** Builds a directory beside `target` and moves it there whole, so that `target` is complete or not there at all,
 *  whoever dies when. Returns false when another process was first, or was waited for because it seemed to be: look
 *  whether `target` is there. */
export async function placeDirectory(
  target: string,
  build: (temporary: string) => Promise<void>,
): Promise<boolean> {
  const begunAt = Date.now();
  const temporary = `${target}.new-${begunAt}-${process.pid}-${randomBytes(6).toString('hex')}`;
  await mkdir(temporary, { mode: 0o700 });
  try {
    if (await waitForEarlier(target, { path: temporary, begunAt, pid: process.pid })) return false;
    await build(temporary);
    await rename(temporary, target);
    await syncDirectory(dirname(target));
    return true;
  } catch (error) {
    if (codeOf(error) === 'ENOTEMPTY' || codeOf(error) === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

/** Waits until every earlier draft of a living process is placed or given up; several builds at once would only take
 *  each other's time. Returns whether there was any. Removes what dead processes left. */
async function waitForEarlier(target: string, own: Draft): Promise<boolean> {
  for (let waited = false; ; waited = true) {
    const others = (await draftsOf(target)).filter(({ path }) => path !== own.path);
    for (const { path, begunAt } of others) {
      if (own.begunAt - begunAt > abandonedAfterMs) await rm(path, { recursive: true, force: true });
    }
    // our own pid: a process that died in a container, where pids begin anew, or a second call, which may build too
    const earlier = others.filter(
      (other) => comesBefore(other, own) && other.pid !== own.pid && isAlive(other.pid),
    );
    if (earlier.length === 0 || Date.now() - own.begunAt > patienceMs) return waited && earlier.length === 0;
    await sleep(lookEveryMs);
  }
}

function comesBefore(one: Draft, other: Draft): boolean {
  return one.begunAt === other.begunAt ? one.path < other.path : one.begunAt < other.begunAt;
}

async function draftsOf(target: string): Promise<Draft[]> {
  const parent = dirname(target);
  const prefix = `${basename(target)}.new-`;
  return (await readdir(parent))
    .filter((name) => name.startsWith(prefix))
    .map((name) => {
      const [begunAt, pid] = name.slice(prefix.length).split('-').map(Number);
      return { path: join(parent, name), begunAt: begunAt ?? 0, pid: pid ?? 0 };
    });
}

async function syncDirectory(path: string): Promise<void> {
  const handle = await open(path, 'r');
  await handle.sync().finally(() => handle.close());
}
