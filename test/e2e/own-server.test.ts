import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RunResult } from '../../src/contract/result.ts';
import { type Installation, installation } from './installation.ts';

// An agent reaches the product that tests it over HTTP, like any other MCP server.

let place: Installation;
let url: string;
let token: string;
beforeAll(async () => {
  place = await installation();
  const server = place.start(['serve', '--port', '0']);
  [, url = ''] = await server.said('stdout', /(http:\/\/\S+:\d+)/);
  token = (await readFile(join(place.home, 'operator-token'), 'utf8')).trim();
  const path = join(place.files, 'own-server.yaml');
  await writeFile(
    path,
    objects()
      .map((object) => JSON.stringify(object))
      .join('\n---\n'),
  );
  expect(await place.assay(['apply', '-f', path])).toMatchObject({ code: 0, stderr: '' });
});
afterAll(() => place.remove());

function objects() {
  const headers = { Authorization: `Bearer ${token}` };
  return [
    {
      kind: 'mcp-server',
      name: 'self',
      transport: { type: 'http', url: `${url}/mcp`, headers },
      profile: 'long',
      isolation: 'run',
    },
    {
      kind: 'agent',
      name: 'looper',
      versions: [
        { name: 'v1', status: 'active', model: 'offline', instructions: 'Test.', mcpServers: ['self'] },
      ],
      deployments: { dev: 'v1' },
    },
    ...suite('endless', 'Run the test suite "endless"', 2),
    ...suite('endless waiting', 'Run the test suite "endless waiting" with wait seconds 300', 1),
    ...suite(
      'shell',
      'Create an MCP server named "shell" with transport {"type": "stdio", "command": "sh"}',
      1,
    ),
  ];
}

function suite(name: string, request: string, repeat: number) {
  return [
    {
      kind: 'test-case',
      name,
      agent: 'looper',
      environment: 'dev',
      conversation: { type: 'single', request },
      repeat,
      checks: [{ type: 'tool_called', tool: 'run-test-suite' }],
    },
    { kind: 'test-suite', name, testCaseIds: [name] },
  ];
}

async function api<Answer = { id: string }>(
  method: 'GET' | 'POST',
  path: string,
  body?: object,
): Promise<Answer> {
  const response = await fetch(`${url}/api${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  expect(response.status).toBe(200);
  return (await response.json()) as Answer;
}

interface Run {
  id: string;
  status: string;
}

async function runsOf(suiteName: string): Promise<Run[]> {
  const path = `/test-runs?testSuite=${encodeURIComponent(suiteName)}&limit=200`;
  return (await api<{ items: Run[] }>('GET', path)).items;
}

/** The one call of the first conversation of a run. */
async function callOf(runId: string | undefined) {
  const run = await api<RunResult>('GET', `/test-runs/${runId}`);
  return run.results[0]?.conversations[0]?.toolCalls[0];
}

/** What `runsOf` gives as soon as it is so. */
async function until(suiteName: string, isSo: (runs: Run[]) => boolean) {
  for (;;) {
    const runs = await runsOf(suiteName);
    if (isSo(runs)) return runs;
    expect(runs.length).toBeLessThan(50);
    await sleep(50);
  }
}

test('runs that its cases start over HTTP stand inside of them, and end at the third', async () => {
  await api('POST', '/test-runs', { testSuiteId: 'endless' });
  const runs = await until('endless', (all) => all.every(({ status }) => status === 'finished'));
  // two conversations each, which share their connection: 1 + 2 + 4
  expect(runs).toHaveLength(7);
  const call = await callOf(runs[0]?.id);
  expect(call).toMatchObject({ tool: 'run-test-suite', isError: true });
  expect(JSON.stringify(call?.result)).toContain('They stand 3 deep at most');
});

test('cancelling a run ends those that its cases started over HTTP', async () => {
  const outer = await api('POST', '/test-runs', { testSuiteId: 'endless waiting' });
  await until('endless waiting', (all) => all.length >= 2);
  await api('POST', `/test-runs/${outer.id}/cancel`, {});
  const runs = await until('endless waiting', (all) =>
    all.every(({ status }) => status !== 'queued' && status !== 'running'),
  );
  expect(runs.at(-1)).toMatchObject({ id: outer.id, status: 'cancelled' });
  expect(runs.length).toBeGreaterThanOrEqual(2);
});

test('an agent defines no server that runs a program, whoever’s token it has', async () => {
  const { id } = await api('POST', '/test-runs', { testSuiteId: 'shell', waitSeconds: 60 });
  const call = await callOf(id);
  expect(call).toMatchObject({ tool: 'create-mcp-server', isError: true });
  expect(JSON.stringify(call?.result)).toContain('only where an admin defines it');
});
