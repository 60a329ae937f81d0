import { mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { removeHome, temporaryHome } from '../../../test/temporary-home.ts';
import { prepareHome } from './data-directory.ts';

const current = { uid: 1000, gid: 1000 };

// where new directories "do not exist", however often one asks
const inProc: [string, string, RegExp][] = [
  ['in /proc', '/proc/x', /^\/proc\/x cannot be written \(ENOENT\).*ASSAY_HOME/],
  ['deep in /proc', '/proc/x/y/z', /^\/proc\/x\/y\/z cannot be written \(ENOENT\).*ASSAY_HOME/],
];

test.each<[string, string, RegExp]>([
  ...(process.platform === 'linux' ? inProc : []),
  ['at a file', '/etc/passwd', /a file stands there.*ASSAY_HOME/],
  ['below a file', '/dev/null/x', /a file stands in its way.*ASSAY_HOME/],
  ['with a name that is too long', `/tmp/${'x'.repeat(300)}`, /its name is too long.*ASSAY_HOME/],
])('a home %s is refused at once', async (_, path, message) => {
  await expect(prepareHome(path, current)).rejects.toMatchObject({
    name: 'EmbeddedDatabaseError',
    message: expect.stringMatching(message),
  });
});

test('a home that is missing is made with what is missing above it, by several processes at once', async () => {
  const above = await temporaryHome();
  onTestFinished(() => removeHome(above));
  const path = join(above, 'one', 'two', 'three');
  const many = await Promise.all(Array.from({ length: 8 }, () => prepareHome(path, current)));
  expect(new Set(many)).toEqual(new Set([path]));
  expect((await stat(path)).mode & 0o777).toBe(0o700);
  await mkdir(join(path, 'kept'));
  expect(await prepareHome(path, current)).toBe(path);
  expect((await stat(join(path, 'kept'))).isDirectory()).toBe(true);
});
