import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

const root = path.dirname(import.meta.dirname);
const packageFile = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8'));

let checkout: string;
beforeEach(async () => {
  checkout = await mkdtemp(path.join(tmpdir(), 'launcher-'));
  await cp(path.join(root, 'bin'), path.join(checkout, 'bin'), { recursive: true });
  await place('package.json', JSON.stringify(packageFile));
});
afterEach(() => rm(checkout, { recursive: true }));

async function place(name: string, text: string) {
  await mkdir(path.dirname(path.join(checkout, name)), { recursive: true });
  await writeFile(path.join(checkout, name), text, { mode: 0o755 });
}

function launch(...args: string[]): Promise<{ code: unknown; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [path.join(checkout, 'bin', 'assay'), ...args], (error, stdout, stderr) => {
      resolve({ code: error ? error.code : 0, stdout, stderr });
    });
  });
}

test.for(['--version', '-V'])('%s answers from package.json alone', async (flag) => {
  await place('src/main.ts', "throw new Error('the product was loaded');");
  expect(await launch(flag)).toEqual({ code: 0, stdout: `${packageFile.version}\n`, stderr: '' });
});

test('the sources run with the arguments, and their number is the exit code', async () => {
  await place('src/main.ts', 'export const main = async (argv: string[]) => (console.log(argv.join()), 3);');
  await place('dist/main.js', 'export const main = async () => 4;');
  expect(await launch('test', '--json')).toEqual({ code: 3, stdout: 'test,--json\n', stderr: '' });
});

test('without sources the built package runs', async () => {
  await place('dist/main.js', 'export const main = async () => 4;');
  expect(await launch('test')).toMatchObject({ code: 4 });
});

test('an error that the product does not handle is told and never exits 0', async () => {
  await place('src/main.ts', "export const main = async () => { throw new Error('lost the database'); };");
  expect(await launch('test')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('lost the database'),
  });
});

test('a command that never comes to its end does not exit 0', async () => {
  await place('src/main.ts', 'export const main = () => new Promise(() => undefined);');
  expect(await launch('test')).toEqual({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining('ended before its command did'),
  });
});

test('a Node that is too old hands over to the bundled one', async () => {
  await place('package.json', JSON.stringify({ ...packageFile, engines: { node: '>=99.0' } }));
  await place('node_modules/.bin/node', '#!/bin/sh\necho "bundled: $2 $3"\nexit 5\n');
  expect(await launch('test', 'run')).toEqual({ code: 5, stdout: 'bundled: test run\n', stderr: '' });
});

test('a Node that is too old says so where there is no other, and does not start itself again', async () => {
  await place('package.json', JSON.stringify({ ...packageFile, engines: { node: '>=99.0' } }));
  const refused = {
    code: 64,
    stdout: '',
    stderr: expect.stringMatching(/^Assay needs Node 99\.0 or newer and this is/),
  };
  expect(await launch('test')).toEqual(refused);
  await mkdir(path.join(checkout, 'node_modules', '.bin'), { recursive: true });
  await symlink(process.execPath, path.join(checkout, 'node_modules', '.bin', 'node'));
  expect(await launch('test')).toEqual(refused);
});
