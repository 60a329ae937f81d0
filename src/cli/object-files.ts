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
 *  their names, or `-` for standard input. What cannot be read is a UsageError that names it. */
export async function readObjectFiles(path: string, stdin: AsyncIterable<Uint8Array>): Promise<ObjectFile[]> {
  if (path === '-') return [{ path: 'standard input', text: textOf('standard input', await readAll(stdin)) }];
  if (!(await readable(path, stat(path))).isDirectory()) return [await readObjectFile(path)];
  const names = (await readable(path, readdir(path, { recursive: true })))
    .filter((name) => /\.(ya?ml|json)$/i.test(name))
    .sort();
  if (names.length === 0)
    throw new UsageError(`There is no .yaml, .yml or .json file in the folder ${path}.`);
  return await Promise.all(names.map((name) => readObjectFile(join(path, name))));
}

/** Descriptors that this process was started with, such as a pipe of the shell: whoever writes to them is there. */
const openDescriptor = /^\/dev\/(stdin|fd\/\d+)$/;

async function readObjectFile(path: string): Promise<ObjectFile> {
  const found = await readable(path, stat(path));
  if (found.isDirectory()) throw new UsageError(`${path} is a folder with the name of a file.`);
  // reading a named pipe waits for somebody who writes to it, and a device may have no end
  if (!found.isFile() && !openDescriptor.test(path)) {
    throw new UsageError(`${path} is neither a file nor a folder. Use -f - for standard input.`);
  }
  return { path, text: textOf(path, await readable(path, readFile(path))) };
}

const reasons: Record<string, string> = {
  ENOENT: 'it does not exist',
  ELOOP: 'its symbolic links lead in a circle',
  EACCES: 'you may not read it',
};

async function readable<Result>(path: string, reading: Promise<Result>): Promise<Result> {
  try {
    return await reading;
  } catch (error) {
    const { code, path: entry = path } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    throw new UsageError(`${entry} cannot be read: ${reasons[code] ?? code}.`);
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
