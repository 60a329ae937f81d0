import { execFileSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, readlink, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { currentAccount, serverAccount } from './account.ts';
import { findPackage, type PostgresPackage, prepareBinaries } from './binaries.ts';
import { run } from './run.ts';

const server = serverAccount(currentAccount());
let work: string;
let installed: PostgresPackage;

beforeAll(async () => {
  work = await mkdtemp(join(tmpdir(), 'assay-binaries-'));
  await chmod(work, 0o755);
  const original = await findPackage();
  installed = { ...original, native: join(work, 'installed', 'native') };
  await mkdir(join(work, 'installed'));
  // `cp` keeps links; an installation that blocks scripts has none
  execFileSync('cp', ['-R', original.native, installed.native]);
});

afterAll(() => rm(work, { recursive: true }));

async function removeLinks(): Promise<string[]> {
  const entries = await readdir(join(installed.native, 'lib'), { withFileTypes: true });
  const links = entries.filter((entry) => entry.isSymbolicLink()).map(({ name }) => name);
  await Promise.all(links.map((name) => rm(join(installed.native, 'lib', name))));
  return links;
}

async function versionOf(program: string): Promise<string> {
  const { output } = await run(server, program, ['--version']);
  return output.trim();
}

test('a platform without a package is told to bring its own database', async () => {
  await expect(findPackage('solaris-sparc')).rejects.toMatchObject({
    name: 'EmbeddedDatabaseError',
    code: 'no_binaries',
    message: expect.stringMatching(/No embedded PostgreSQL is installed for solaris-sparc.*set DATABASE_URL/),
  });
});

test('an installed package that the server can reach is used where it is', async () => {
  const binaries = await prepareBinaries(installed, server, async () => work);
  expect(binaries.postgres).toBe(join(installed.native, 'bin', 'postgres'));
  expect(await versionOf(binaries.postgres)).toBe(
    `postgres (PostgreSQL) ${installed.name.split('-')[1]?.slice(0, 4)}`,
  );
});

test('library links that an installation left out are made, by several processes at once', async () => {
  const links = await removeLinks();
  expect(links).toContain('libpq.so.5');
  expect(await versionOf(join(installed.native, 'bin', 'initdb'))).toContain(
    'error while loading shared libraries',
  );
  const both = await Promise.all([
    prepareBinaries(installed, server, async () => work),
    prepareBinaries(installed, server, async () => work),
  ]);
  for (const { initdb } of both) expect(await versionOf(initdb)).toContain('initdb (PostgreSQL) 18');
  expect(await readlink(join(installed.native, 'lib', 'libpq.so.5'))).toBe('libpq.so.5.18');
});

test('a package that the server cannot use where it is gets copied, once', async () => {
  await removeLinks();
  const copies = join(work, 'copies');
  await mkdir(copies);
  await chmod(copies, 0o755);
  if (process.getuid?.() === 0) {
    // the install path is private to root, as below its home directory
    await chmod(join(work, 'installed'), 0o700);
  } else {
    // the installation belongs to somebody else, and lacks its links
    await chmod(join(installed.native, 'lib'), 0o555);
  }
  const [binaries] = await Promise.all([
    prepareBinaries(installed, server, async () => copies),
    prepareBinaries(installed, server, async () => copies),
  ]);
  expect(await readdir(copies)).toEqual([installed.name]);
  const copied = await stat(binaries.initdb);
  expect(binaries.initdb).toBe(join(copies, installed.name, 'bin', 'initdb'));
  expect(await versionOf(binaries.initdb)).toContain('initdb (PostgreSQL) 18');
  await prepareBinaries(installed, server, async () => copies);
  expect((await stat(binaries.initdb)).ino).toBe(copied.ino);
  await chmod(join(work, 'installed'), 0o755);
  await chmod(join(installed.native, 'lib'), 0o755);
});
