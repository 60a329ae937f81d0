import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { appendFile, mkdir, mkdtemp, readFile, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';

const module = path.join(path.dirname(import.meta.dirname), 'scripts', 'setup-lock.mjs');
const run = promisify(execFile);

let folder: string;
let lock: string;
let log: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'setup-lock-'));
  lock = path.join(folder, 'lock');
  log = path.join(folder, 'log');
  await appendFile(log, '');
});
afterEach(() => rm(folder, { recursive: true }));

/** A process that notes when it enters and leaves the lock, and whether it had to wait. */
function enter() {
  const source = `
    import { appendFileSync } from 'node:fs';
    import { setTimeout as sleep } from 'node:timers/promises';
    import { withLock } from ${JSON.stringify(module)};
    const note = (word) => appendFileSync(${JSON.stringify(log)}, word + ' ');
    await withLock(${JSON.stringify(lock)}, async () => {
      note('in');
      await sleep(120);
      note('out');
    }, () => console.log('waiting'));`;
  return run(process.execPath, ['--input-type=module', '--eval', source]);
}

test('of several processes one at a time holds the lock, and nothing is left of it', async () => {
  const ended = await Promise.all([enter(), enter(), enter(), enter()]);
  expect(await readFile(log, 'utf8')).toBe('in out '.repeat(4));
  expect(ended.filter(({ stdout }) => stdout === 'waiting\n').length).toBeGreaterThan(0);
  expect(existsSync(lock)).toBe(false);
});

test('a lock whose holder died is taken over by one process', async () => {
  const held = path.join(lock, '1');
  await mkdir(held, { recursive: true });
  const longAgo = new Date(Date.now() - 60_000);
  await utimes(held, longAgo, longAgo);
  await Promise.all([enter(), enter(), enter()]);
  expect(await readFile(log, 'utf8')).toBe('in out '.repeat(3));
  expect(existsSync(lock)).toBe(false);
});

test('a lock whose holder lives is waited for', async () => {
  await mkdir(path.join(lock, '1'), { recursive: true });
  const waiting = enter();
  await once(waiting.child.stdout as Readable, 'data');
  expect(await readFile(log, 'utf8')).toBe('');
  await rm(lock, { recursive: true });
  expect(await waiting).toMatchObject({ stdout: 'waiting\n' });
  expect(await readFile(log, 'utf8')).toBe('in out ');
});
