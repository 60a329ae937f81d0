import { execFileSync } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { removeHome } from '../../../test/temporary-home.ts';
import { findPostmaster } from './postmaster.ts';
import { openEmbedded } from './server.ts';

// making a database takes a slow machine many seconds
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

/** Only root has to put its data elsewhere: an ordinary user's server runs as that user. */
const root = process.getuid?.() === 0;
let parent: string;
let home: string;

beforeAll(async () => {
  // for its owner alone, like the home directory of root
  parent = await mkdtemp(join(tmpdir(), 'assay-private-'));
  home = join(parent, 'home');
});

afterAll(async () => {
  await removeHome(home);
  await rm(parent, { recursive: true });
});

test('a home in a private directory works, and its data stay where they were put', async () => {
  const server = await openEmbedded({ home, fsync: false });
  const { dataDirectory } = server;
  expect((await stat(parent)).mode & 0o777).toBe(0o700);
  if (root) {
    expect(dataDirectory).toMatch(/^\/var\/lib\/assay\/[0-9a-f]{12}-\w{6}\/pg$/);
    expect(await readFile(join(home, 'pg.location'), 'utf8')).toBe(`${dataDirectory}\n`);
    const around = await stat(dirname(dataDirectory));
    expect({ mode: around.mode & 0o777, uid: around.uid }).toEqual({ mode: 0o700, uid: 65534 });
  } else {
    expect(dataDirectory).toBe(join(home, 'pg'));
  }
  const running = await findPostmaster(dataDirectory);
  const uid = execFileSync('ps', ['-o', 'uid=', '-p', String(running?.pid)], { encoding: 'utf8' });
  expect(Number(uid)).toBe(root ? 65534 : process.getuid?.());
  await server.stop({ wait: true });

  await chmod(parent, 0o755);
  const again = await openEmbedded({ home, fsync: false });
  expect(again.dataDirectory).toBe(dataDirectory);
  await again.stop({ wait: true });
});

test('a home that was deleted and made anew does not find the old data', async () => {
  if (root) await chmod(parent, 0o700);
  const first = await openEmbedded({ home, fsync: false });
  await first.stop({ wait: true });
  const kept = join(parent, 'kept');
  execFileSync('cp', ['-a', home, kept]);
  await rm(home, { recursive: true });
  const log: string[] = [];
  const second = await openEmbedded({ home, fsync: false, log: (line) => log.push(line) });
  expect(log[0]).toContain('made the database');
  await second.stop({ wait: true });
  await removeHome(home);
  execFileSync('cp', ['-a', kept, home]);
});

test('data that are not where the home says are missed, not replaced by an empty database', async () => {
  const pointer = join(home, 'pg.location');
  const before = root ? await readFile(pointer, 'utf8') : undefined;
  await writeFile(pointer, join(parent, 'gone', 'pg'));
  await expect(openEmbedded({ home, fsync: false })).rejects.toMatchObject({
    name: 'EmbeddedDatabaseError',
    code: 'data_missing',
    message: expect.stringMatching(/gone\/pg" according to .*pg\.location, but it is not there/),
  });
  await rm(pointer);
  if (before !== undefined) await writeFile(pointer, before);
});
