import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { variablePattern } from '../contract/apply.ts';
import { UsageError } from './failure.ts';
import { textOf } from './file-text.ts';

export interface ObjectFile {
  path: string;
  text: string;
}

/** The files that `-f` means: one file, the `.yaml`, `.yml` and `.json` files of a folder and its folders in order of
 *  their names, or `-` for standard input. */
export async function readObjectFiles(path: string, stdin: AsyncIterable<Uint8Array>): Promise<ObjectFile[]> {
  if (path === '-') return [{ path: 'standard input', text: textOf('standard input', await readAll(stdin)) }];
  try {
    if (!(await stat(path)).isDirectory()) return [{ path, text: textOf(path, await readFile(path)) }];
    const names = (await readdir(path, { recursive: true }))
      .filter((name) => /\.(ya?ml|json)$/i.test(name))
      .sort();
    if (names.length === 0)
      throw new UsageError(`There is no .yaml, .yml or .json file in the folder ${path}.`);
    return await Promise.all(
      names
        .map((name) => join(path, name))
        .map(async (file) => ({ path: file, text: textOf(file, await readFile(file)) })),
    );
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    throw new UsageError(
      `The file ${path} cannot be read: ${code === 'ENOENT' ? 'it does not exist' : code}.`,
    );
  }
}

/** The values of the `${NAME}` places of the files, and of no other variable, as far as they are set. */
export function variablesOf(files: readonly ObjectFile[], env: NodeJS.ProcessEnv): Record<string, string> {
  const names = files.flatMap(({ text }) =>
    [...text.matchAll(variablePattern)].map(([, name]) => name as string),
  );
  const values: Record<string, string> = {};
  for (const name of names) {
    const value = env[name];
    if (value !== undefined) values[name] = value;
  }
  return values;
}

async function readAll(stream: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}
