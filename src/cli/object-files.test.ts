import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { UsageError } from './failure.ts';
import { readObjectFiles, variablesOf } from './object-files.ts';

let folder: string;
const nothing = Readable.from([]);
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'objects-'));
  await mkdir(join(folder, 'more', 'empty'), { recursive: true });
  for (const [name, text] of Object.entries({
    'b.yaml': 'b',
    'a.yml': 'a',
    'more/c.json': 'c',
    'notes.md': 'no',
  })) {
    await writeFile(join(folder, name), text);
  }
});
afterAll(() => rm(folder, { recursive: true }));

describe('the files that -f means', () => {
  test('are one file', async () => {
    const path = join(folder, 'b.yaml');
    expect(await readObjectFiles(path, nothing)).toEqual([{ path, text: 'b' }]);
  });

  test('are the YAML and JSON files of a folder in order of their names', async () => {
    const files = await readObjectFiles(folder, nothing);
    expect(files.map(({ text }) => text)).toEqual(['a', 'b', 'c']);
  });

  test('are standard input for -', async () => {
    const stdin = Readable.from([Buffer.from('kind: ü').subarray(0, 7), Buffer.from('kind: ü').subarray(7)]);
    expect(await readObjectFiles('-', stdin)).toEqual([{ path: 'standard input', text: 'kind: ü' }]);
  });

  test.each(['missing.yaml', 'more/empty'])(
    'are refused by name where there is nothing: %s',
    async (name) => {
      const path = join(folder, name);
      await expect(readObjectFiles(path, nothing)).rejects.toThrow(UsageError);
      await expect(readObjectFiles(path, nothing)).rejects.toThrow(path);
    },
  );
});

describe('what is no file', () => {
  test.each([
    ['a loop of links', (path: string) => symlink(path, path), /cannot be read: its symbolic links lead/],
    ['a link to nothing', (path: string) => symlink('nowhere', path), /cannot be read: it does not exist/],
    [
      'a named pipe',
      async (path: string) => execFileSync('mkfifo', [path]),
      /is neither a file nor a folder/,
    ],
    ['a folder', (path: string) => mkdir(path), /is a folder with the name of a file/],
  ])('is refused by its own name in a folder: %s', async (_, make, said) => {
    const parent = await mkdtemp(join(folder, 'odd-'));
    const path = join(parent, 'entry.yaml');
    await make(path);
    const refused = await readObjectFiles(parent, nothing).catch((error) => error);
    await rm(parent, { recursive: true });
    expect(refused).toBeInstanceOf(UsageError);
    expect(refused.message).toMatch(said);
    expect(refused.message).toContain(path);
  });

  test('is refused, not waited for: a pipe that nobody writes to', async () => {
    const path = join(folder, 'pipe');
    execFileSync('mkfifo', [path]);
    await expect(readObjectFiles(path, nothing)).rejects.toThrow(`${path} is neither a file nor a folder`);
    await expect(readObjectFiles('/dev/zero', nothing)).rejects.toThrow(UsageError);
  });
});

test('of the environment only what the files mention is sent', () => {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the form of a variable in a file
  const files = [{ path: 'x', text: 'a: ${ONE} ${ONE} ${UNSET}\nb: $${TWO} {{run}}' }];
  expect(variablesOf(files, { ONE: '1', TWO: '2', SECRET: 'x' })).toEqual({ ONE: '1' });
});
