import { existsSync } from 'node:fs';
import { link, mkdtemp, open, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { clearStaleLock } from './stale-lock.ts';

/** Greater than any pid of Linux. */
const nobody = 4_194_305;
let folder: string;
let lock: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-lock-'));
  lock = join(folder, 'postmaster.pid');
});

afterEach(() => rm(folder, { recursive: true }));

const clear = () => clearStaleLock(lock, folder);

test('where no lock file stands, the way is clear', async () => {
  expect(await clear()).toBe(true);
});

test('of several that find one stale file, none removes the new one of the first', async () => {
  for (let round = 0; round < 50; round += 1) {
    await writeFile(lock, `${nobody}\nround ${round}`);
    let made = 0;
    const starts = Array.from({ length: 12 }, async (_, index) => {
      await sleep(index % 4);
      if (!(await clear())) return;
      // a server makes its lock file only where none stands
      const handle = await open(lock, 'wx').catch(() => undefined);
      if (handle) made += 1;
      await handle?.close();
    });
    await Promise.all(starts);
    expect(made).toBe(1);
    await rm(lock);
  }
});

test('a file that a server is just about to write stays, and goes when it never does', async () => {
  await writeFile(lock, '');
  expect(await clear()).toBe(false);
  expect(existsSync(lock)).toBe(true);
  const before = new Date(Date.now() - 3_000);
  await utimes(lock, before, before);
  expect(await clear()).toBe(true);
  expect(existsSync(lock)).toBe(false);
});

test('a file that another process has claimed is left to it, unless it died over it', async () => {
  await writeFile(lock, String(nobody));
  const { ino, mtimeNs } = await stat(lock, { bigint: true });
  await link(lock, `${lock}.stale-${ino}-${mtimeNs}-0`);
  expect(await clear()).toBe(false);
  expect(existsSync(lock)).toBe(true);
  await expect.poll(clear, { timeout: 10_000, interval: 200 }).toBe(true);
  expect(existsSync(lock)).toBe(false);
});
