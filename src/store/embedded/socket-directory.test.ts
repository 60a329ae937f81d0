import { chmod, mkdir, mkdtemp, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { currentAccount, serverAccount } from './account.ts';
import { shortHash } from './data-directory.ts';
import { prepareSocketDirectory } from './socket-directory.ts';

const account = serverAccount(currentAccount());
let temporary: string;
/** Different for each test, so that none meets the socket directory of another. */
let dataDirectory: string;
let name: string;

beforeEach(async () => {
  temporary = await mkdtemp(join(tmpdir(), 'assay-socket-'));
  await chmod(temporary, 0o755);
  vi.stubEnv('TMPDIR', temporary);
  vi.stubEnv('XDG_RUNTIME_DIR', undefined);
  dataDirectory = join(temporary, 'pg');
  name = `assay-${shortHash(dataDirectory)}`;
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(join('/tmp', name), { recursive: true, force: true });
  await rm(temporary, { recursive: true });
});

const prepare = () => prepareSocketDirectory(dataDirectory, account);

test('it is made for the account of the server alone, and found again', async () => {
  const directory = await prepare();
  expect(directory).toBe(join(temporary, name));
  const made = await stat(directory);
  expect({ mode: made.mode & 0o777, uid: made.uid }).toEqual({ mode: 0o700, uid: account.uid });
  expect(await prepare()).toBe(directory);
});

test.each<[string, () => Promise<void>]>([
  [
    'a link that leads elsewhere',
    async () => {
      await mkdir(join(temporary, 'trap'), { mode: 0o700 });
      await symlink(join(temporary, 'trap'), join(temporary, name));
    },
  ],
  ['a file', () => writeFile(join(temporary, name), '')],
  [
    'a directory that others can enter',
    async () => {
      await mkdir(join(temporary, name));
      await chmod(join(temporary, name), 0o777);
    },
  ],
  ['a parent in which everybody can rename files', () => chmod(temporary, 0o777)],
])('it is never %s', async (_, prepareTrap) => {
  await prepareTrap();
  expect(await prepare()).toBe(join('/tmp', name));
});

test('a long temporary directory gives way to a short one', async () => {
  const long = join(temporary, 'x'.repeat(90));
  await mkdir(long);
  vi.stubEnv('TMPDIR', long);
  expect(await prepare()).toBe(join('/tmp', name));
});

test('when none can be had, each candidate is named with its problem', async () => {
  await writeFile(join(temporary, name), '');
  await writeFile(join('/tmp', name), '');
  vi.stubEnv('XDG_RUNTIME_DIR', join(temporary, 'none'));
  await expect(prepare()).rejects.toMatchObject({
    name: 'EmbeddedDatabaseError',
    code: 'socket_directory',
    message: expect.stringContaining(
      [
        `${temporary}/${name}: it is not a directory`,
        `/tmp/${name}: it is not a directory`,
        `${temporary}/none/${name}: ENOENT`,
      ].join('; '),
    ),
  });
});
