import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { placeDirectory } from './place-directory.ts';

let folder: string;
let target: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-place-'));
  target = join(folder, 'data');
});

afterEach(() => rm(folder, { recursive: true }));

const write = (text: string) => (path: string) => writeFile(join(path, 'who'), text);
const read = () => readFile(join(target, 'who'), 'utf8');

test('a directory is placed whole, over nothing or an empty directory', async () => {
  await mkdir(target);
  expect(await placeDirectory(target, write('first'))).toBe(true);
  expect(await read()).toBe('first');
  expect(await readdir(folder)).toEqual(['data']);
});

test('of several that are built at once, one is placed and the others are discarded', async () => {
  const placed = await Promise.all(['a', 'b', 'c'].map((text) => placeDirectory(target, write(text))));
  expect(placed.filter(Boolean)).toHaveLength(1);
  expect(await read()).toBe(['a', 'b', 'c'][placed.indexOf(true)]);
  expect(await readdir(folder)).toEqual(['data']);
});

test('a failed build leaves nothing', async () => {
  await expect(placeDirectory(target, () => Promise.reject(new Error('no room')))).rejects.toThrow('no room');
  expect(await readdir(folder)).toEqual([]);
});

test('an earlier build of a living process is waited for', async () => {
  const other = spawn('sleep', ['60']);
  onTestFinished(() => {
    other.kill();
  });
  const draft = `${target}.new-${Date.now() - 1000}-${other.pid}-00`;
  await mkdir(draft);
  await write('other')(draft);
  let built = false;
  const waiting = placeDirectory(target, async () => {
    built = true;
  });
  await sleep(200);
  expect(built).toBe(false);
  await rename(draft, target);
  expect(await waiting).toBe(false);
  expect(await read()).toBe('other');
});

test('what a process that died left is not waited for, and goes when it is old', async () => {
  const dead = 4_194_303;
  const recent = `data.new-${Date.now() - 1000}-${dead}-00`;
  const old = `data.new-${Date.now() - 11 * 60_000}-${dead}-00`;
  await mkdir(join(folder, recent));
  await mkdir(join(folder, old));
  expect(await placeDirectory(target, write('ours'))).toBe(true);
  expect(await readdir(folder)).toEqual(['data', recent]);
});
