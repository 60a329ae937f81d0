import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

const arrows = path.join(path.dirname(import.meta.dirname), 'scripts', 'arrows.mjs');

/** A small house in which every arrow is allowed. */
const CLEAN = {
  'package.json':
    '{ "type": "module", "dependencies": { "zod": "4", "pg": "8", "@modelcontextprotocol/client": "2" } }',
  'node_modules/zod/package.json':
    '{ "name": "zod", "version": "4.0.0", "type": "module", "exports": "./index.js" }',
  'node_modules/zod/index.js': 'export const z = {};',
  'node_modules/pg/package.json':
    '{ "name": "pg", "version": "8.0.0", "type": "module", "exports": "./index.js" }',
  'node_modules/pg/index.js': 'export default {};',
  'node_modules/@modelcontextprotocol/client/package.json':
    '{ "name": "@modelcontextprotocol/client", "version": "2.0.0", "type": "module", "exports": "./index.js" }',
  'node_modules/@modelcontextprotocol/client/index.js': 'export class Client {}',
  'src/core/trace.ts': "import { z } from 'zod';\nexport const trace = z;\nexport type Trace = object;",
  'src/store/trace.ts':
    "import pg from 'pg';\nimport type { Trace } from '../core/trace.ts';\nexport const rows: Trace = pg;",
  'src/engine/run.ts': "import { rows } from '../store/trace.ts';\nexport const run = rows;",
  'src/api/runs.ts': "import { run } from '../engine/run.ts';\nexport const runs = run;",
  'src/contract/runs.ts': "import { trace } from '../core/trace.ts';\nexport const contract = trace;",
  'src/tools/client.ts':
    "import { Client } from '@modelcontextprotocol/client';\nexport const client = Client;",
  'src/cli/run.ts':
    "import { argv } from 'node:process';\nimport { contract } from '../contract/runs.ts';\nexport const cli = [argv, contract];",
  'src/composition/serve.ts':
    "import { client } from '../tools/client.ts';\nexport const serve = async () => [client, await import('../api/runs.ts')];",
  'src/main.ts':
    "import { cli } from './cli/run.ts';\nimport { serve } from './composition/serve.ts';\nexport const main = async () => [cli, serve, await import('./api/runs.ts')];",
  'src/core/trace.test.ts':
    "import { readFileSync } from 'node:fs';\nimport { rows } from '../store/trace.ts';\nimport { house } from '../../test/house.ts';\nexport default [readFileSync, rows, house];",
  'test/house.ts': "import { main } from '../src/main.ts';\nexport const house = main;",
};

let checkout: string;
beforeEach(async () => {
  checkout = await mkdtemp(path.join(tmpdir(), 'arrows-'));
  await place(CLEAN);
});
afterEach(() => rm(checkout, { recursive: true }));

async function place(files: Record<string, string>) {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(path.join(checkout, path.dirname(name)), { recursive: true });
    await writeFile(path.join(checkout, name), text);
  }
}

function judge(): Promise<{ code: unknown; said: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [arrows, checkout], (error, stdout, stderr) => {
      resolve({ code: error ? error.code : 0, said: stdout + stderr });
    });
  });
}

test('a house in which every arrow is allowed passes', async () => {
  expect(await judge()).toEqual({
    code: 0,
    said: expect.stringMatching(/^11 files, 18 imports, 0 against the map/),
  });
});

const PLANTED: [what: string, files: Record<string, string>, said: string[]][] = [
  [
    'core importing Node',
    { 'src/core/trace.ts': "import 'node:fs';\nexport const trace = 1;" },
    ['core-is-pure', 'src/core/trace.ts → fs'],
  ],
  [
    'core importing another package',
    { 'src/core/trace.ts': "export { default as trace } from 'pg';" },
    ['core-is-pure'],
  ],
  [
    'core importing a type of the store',
    {
      'src/core/row.ts': "import type { Row } from '../store/row.ts';\nexport type A = Row;",
      'src/store/row.ts': 'export type Row = 1;',
    },
    ['core-knows-too-much', 'src/core/row.ts → src/store/row.ts'],
  ],
  [
    'the command line importing the store',
    { 'src/cli/run.ts': "import { rows } from '../store/trace.ts';\nexport const cli = rows;" },
    ['cli-knows-too-much'],
  ],
  [
    'the command line importing the store late in a declaration with `using`',
    {
      'src/cli/run.ts':
        "export async function cli() {\n  await using rows = (await import('../store/trace.ts')).rows;\n}",
    },
    ['cli-knows-too-much'],
  ],
  [
    'the command line importing the store late',
    {
      'src/cli/run.ts': "export const cli = async () => ({ a: [(await import('../store/trace.ts')).rows] });",
    },
    ['cli-knows-too-much'],
  ],
  [
    'models importing tools',
    { 'src/models/a.ts': "export { client } from '../tools/client.ts';" },
    ['models-knows-too-much'],
  ],
  [
    'a circle',
    {
      'src/engine/a.ts': "import { b } from './b.ts';\nexport const a = b;",
      'src/engine/b.ts': "import { a } from './a.ts';\nexport const b = a;",
    },
    ['circle', 'src/engine/a.ts → src/engine/b.ts'],
  ],
  [
    'a circle of types',
    {
      'src/core/a.ts': "import type { B } from './b.ts';\nexport type A = B;",
      'src/core/b.ts': "import type { A } from './a.ts';\nexport type B = A;",
    },
    ['circle'],
  ],
  [
    'a folder that the map does not name',
    { 'src/utils/a.ts': "import { trace } from '../core/trace.ts';\nexport const a = trace;" },
    ['unknown-room', 'src/utils/a.ts'],
  ],
  [
    'a file beside the composition root',
    { 'src/extra.ts': "import { trace } from './core/trace.ts';\nexport const a = trace;" },
    ['unknown-room', 'src/extra.ts'],
  ],
  [
    'the composition root entering an unknown folder',
    { 'src/utils/a.ts': 'export const a = 1;', 'src/main.ts': "export { a } from './utils/a.ts';" },
    ['root-knows-rooms'],
  ],
  [
    'a part of the composition root entering an unknown folder',
    {
      'src/utils/a.ts': 'export const a = 1;',
      'src/composition/serve.ts': "export { a as serve } from '../utils/a.ts';",
    },
    ['root-knows-rooms', 'src/composition/serve.ts → src/utils/a.ts'],
  ],
  [
    'a room importing a part of the composition root',
    { 'src/api/a.ts': "export { serve } from '../composition/serve.ts';" },
    ['composition-is-the-roots', 'src/api/a.ts → src/composition/serve.ts'],
  ],
  [
    'a unit test importing a part of the composition root',
    { 'src/api/a.test.ts': "export { serve } from '../composition/serve.ts';" },
    ['composition-is-the-roots'],
  ],
  [
    'a test importing a part of the composition root',
    { 'test/house.ts': "export { serve as house } from '../src/composition/serve.ts';" },
    ['composition-is-the-roots'],
  ],
  [
    'a part of the composition root importing the root',
    { 'src/composition/serve.ts': "export const serve = () => import('../main.ts');" },
    ['root-is-on-top', 'circle'],
  ],
  [
    'a unit test importing the composition root',
    { 'src/api/a.test.ts': "export { main } from '../main.ts';" },
    ['root-is-on-top', 'src/api/a.test.ts → src/main.ts'],
  ],
  [
    'a package outside its folders',
    { 'src/agents/a.ts': "export { Client } from '@modelcontextprotocol/client';" },
    ['modelcontextprotocol-strays'],
  ],
  [
    'the product importing its tests',
    { 'src/engine/a.ts': "export { house } from '../../test/house.ts';" },
    ['source-stays-home'],
  ],
  [
    'the product importing a unit test',
    { 'src/engine/a.ts': "export * from './a.test.ts';", 'src/engine/a.test.ts': 'export const a = 1;' },
    ['source-stays-home'],
  ],
  [
    'the product importing a development package',
    {
      'src/engine/a.ts': "export * from 'fast-check';",
      'package.json': '{ "devDependencies": { "fast-check": "4" } }',
      'node_modules/fast-check/package.json': '{ "name": "fast-check", "version": "4.0.0" }',
      'node_modules/fast-check/index.js': '',
    },
    ['development-only'],
  ],
  ['a file that nothing imports', { 'src/net/a.ts': 'export const a = 1;' }, ['orphan', 'src/net/a.ts']],
  [
    'an import that leads nowhere',
    { 'src/net/a.ts': "export * from './gone.ts';" },
    ['unresolvable', './gone.ts'],
  ],
  [
    'an import inside a type, which the parser overlooks',
    { 'src/cli/a.ts': "export type Rows = Array<typeof import('../store/trace.ts')>;" },
    ['overlooked', 'src/cli/a.ts → ../store/trace.ts'],
  ],
];

test.for(PLANTED)('%s fails', async ([, files, said]) => {
  await place(files);
  const judged = await judge();
  expect(judged.code).toBe(1);
  for (const words of said) expect(judged.said).toContain(words);
});

test('a checkout without sources fails', async () => {
  for (const place of ['src', 'test']) await rm(path.join(checkout, place), { recursive: true });
  expect(await judge()).toMatchObject({
    code: 1,
    said: expect.stringContaining('has no source file to judge'),
  });
});
