import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RunResult } from '../../src/contract/result.ts';
import { findPostmaster } from '../../src/store/embedded/postmaster.ts';
import { openEmbedded } from '../../src/store/embedded/server.ts';
import { type Installation, installation, root } from '../e2e/installation.ts';

const tool = 'trigger-long-running-operation';
const names = Array.from({ length: 8 }, (_, index) => `case ${index + 1}`);
const objects = [
  {
    kind: 'mcp-server',
    name: 'everything',
    transport: {
      type: 'stdio',
      command: process.execPath,
      args: [join(root, 'node_modules/@modelcontextprotocol/server-everything/dist/index.js'), 'stdio'],
    },
    isolation: 'run',
  },
  {
    kind: 'agent',
    name: 'patient',
    versions: [
      { name: 'v1', status: 'active', instructions: 'Help.', model: 'offline', mcpServers: ['everything'] },
    ],
    deployments: { dev: 'v1' },
  },
  ...names.map((name) => ({
    kind: 'test-case',
    name,
    agent: 'patient',
    environment: 'dev',
    conversation: {
      type: 'single',
      request: 'Trigger the long running operation with duration 0.5 and steps 1 for {{run}}',
    },
    checks: [{ type: 'tool_called', tool }],
  })),
  { kind: 'test-suite', name: 'slow', testCaseIds: names },
];

let place: Installation;
let dataDirectory: string;
beforeAll(async () => {
  place = await installation({ keepDatabase: false });
  const path = join(place.files, 'slow.yaml');
  await writeFile(path, objects.map((object) => JSON.stringify(object)).join('\n---\n'));
  expect(await place.assay(['apply', '-f', path])).toMatchObject({ code: 0, stderr: '' });
  const server = await openEmbedded({ home: place.home });
  dataDirectory = server.dataDirectory;
  await server.stop({ wait: true });
});
afterAll(() => place.remove());

test('a command that waits for a run rides out the crash of the database under it', async () => {
  const waiting = place.start(['test', 'run', '--suite', 'slow', '--wait', '--json', '--parallel', '2']);
  await waiting.said('stderr', /^[1-4]\/8 cases/m);
  process.kill((await findPostmaster(dataDirectory))?.pid ?? 0, 'SIGKILL');
  const ended = await waiting.ended;
  expect(ended.code, ended.stderr).toBe(0);
  const result: RunResult = JSON.parse(ended.stdout);
  expect(result).toMatchObject({ status: 'finished', outcome: 'passed', totals: { tests: 8, passed: 8 } });
  const warnings = ended.stderr.split('\n').filter((line) => line.includes('"level":"warn"'));
  const said = warnings.map((line) => JSON.parse(line).message.toLowerCase());
  expect(said.toSorted()).toEqual([...new Set(said)].toSorted());
});
