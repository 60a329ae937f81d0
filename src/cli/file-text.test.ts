import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import { UsageError } from './failure.ts';
import { readObjectFiles } from './object-files.ts';

const latin1 = Buffer.from('kind: prompt\nname: Größe\nbody: x\n', 'latin1');
const nothing = Readable.from([]);

async function folderWith(files: Record<string, Uint8Array>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'texts-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  for (const [name, bytes] of Object.entries(files)) await writeFile(join(folder, name), bytes);
  return folder;
}

test('a file that is no UTF-8 is refused with its name and line, alone and in a folder', async () => {
  const folder = await folderWith({ 'a.yaml': Buffer.from('name: Größe'), 'b.yaml': latin1 });
  for (const path of [folder, join(folder, 'b.yaml')]) {
    const refused = await readObjectFiles(path, nothing).catch((error) => error);
    expect(refused).toBeInstanceOf(UsageError);
    expect(refused.message).toContain(`${join(folder, 'b.yaml')}:2: is no UTF-8 text`);
  }
});

test('standard input that is no UTF-8 is refused', async () => {
  await expect(readObjectFiles('-', Readable.from([latin1]))).rejects.toThrow(
    'standard input:2: is no UTF-8 text',
  );
  const cut = Buffer.from('name: ü').subarray(0, 7);
  await expect(readObjectFiles('-', Readable.from([cut]))).rejects.toThrow('standard input:1: is no UTF-8');
});

test('a byte order mark, and every character of UTF-8, stays as it is', async () => {
  const text = '\ufeffname: Größe 🙂 \ufffd\nbody: \u2028\n';
  const folder = await folderWith({ 'a.yaml': Buffer.from(text) });
  expect(await readObjectFiles(folder, nothing)).toEqual([{ path: join(folder, 'a.yaml'), text }]);
});
