import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RunResult, runResult } from '../../src/contract/result.ts';
import { verifies } from '../verifies.ts';
import { type Installation, installation, root, type Started, suitesFile } from './installation.ts';

let place: Installation;
let server: Started;
let url: string;
let token: string;
let mcp: Client;
beforeAll(async () => {
  place = await installation();
  server = place.start(['serve', '--port', '0']);
  [, url = ''] = await server.said('stdout', /serves (http:\S+) on/);
  token = (await readFile(join(place.home, 'operator-token'), 'utf8')).trim();
  expect(await place.assay(['apply', '-f', suitesFile])).toMatchObject({ code: 0 });
  mcp = await connectMcp();
});
afterAll(async () => {
  await mcp?.close();
  await place.remove();
});

async function connectMcp(): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [join(root, 'bin', 'assay'), 'mcp'],
      env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', ASSAY_HOME: place.home },
    }),
  );
  return client;
}

async function http(path: string, init: RequestInit = {}) {
  const response = await fetch(`${url}/api${path}`, {
    ...init,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
  });
  return { status: response.status, body: (await response.json()) as never };
}

async function tool(name: string, args: Record<string, unknown>) {
  const { structuredContent, isError, content } = await mcp.callTool({ name, arguments: args });
  return { answer: structuredContent as never, isError: isError ?? false, text: JSON.stringify(content) };
}

/** The result of a run over MCP, as soon as it has ended. */
async function endedRun(testRunId: string): Promise<Record<string, unknown>> {
  for (;;) {
    const { answer } = await tool('get-test-run-result', { test_run_id: testRunId });
    if (['finished', 'cancelled'].includes((answer as { status: string }).status)) return answer;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

const camelCase = (text: string) => text.replace(/"(\w+)":/g, (_, key: string) => `"${camel(key)}":`);
const camel = (key: string) => key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

describe('a run', () => {
  test(verifies('has the same result over the command line, HTTP and MCP', 'M5', 'M10', 'M23'), async () => {
    const ended = await place.assay(['test', 'run', '--suite', 'red', '--wait', '--json']);
    expect(ended.code).toBe(1);
    const result: RunResult = JSON.parse(ended.stdout);
    expect(result).toMatchObject({
      formatVersion: 1,
      suite: { name: 'red' },
      status: 'finished',
      outcome: 'failed',
      totals: { tests: 2, passed: 1, failed: 1, successRate: 50 },
    });
    // what stands in the document is what the contract says, and nothing else
    expect(runResult.parse(result)).toEqual(result);
    const [conversation] = result.results[0]?.conversations ?? [];
    expect(conversation).toMatchObject({ agentVersion: 'v1', model: 'offline', run: result.token });
    expect(conversation?.messages).toMatchObject([
      { role: 'user', text: `Hello, this is ${result.token}` },
      { role: 'agent', attachments: [] },
    ]);

    const again = await place.assay(['test', 'result', result.id, '--json']);
    expect(JSON.parse(again.stdout)).toEqual(result);
    expect((await http(`/test-runs/${result.id}`)).body).toEqual(result);
    const { answer } = await tool('get-test-run-result', { test_run_id: result.id });
    expect(answer).toMatchObject({ format_version: 1, results: [{ test_case: { name: 'passes' } }, {}] });
    expect((answer as { results: { conversations: object[] }[] }).results[0]?.conversations[0]).toMatchObject(
      {
        agent_version_id: conversation?.agentVersionId,
      },
    );
    expect(JSON.parse(camelCase(JSON.stringify(answer)))).toEqual(
      JSON.parse(camelCase(JSON.stringify(result))),
    );
  });

  test(
    verifies('starts over MCP and HTTP as it does over the command line', 'M5', 'M10', 'M20'),
    async () => {
      const { answer } = await tool('list-test-suites', {});
      const { items } = answer as { items: { id: string; name: string; test_cases: number }[] };
      const green = items.find(({ name }) => name === 'green');
      expect(green).toMatchObject({ test_cases: 1 });

      const versions = async (args: Record<string, unknown>) => {
        const started = await tool('run-test-suite', { test_suite_id: green?.id, ...args });
        const ended = (await endedRun((started.answer as { id: string }).id)) as {
          outcome: string;
          results: { conversations: { agent_version: string }[] }[];
        };
        return [
          ended.outcome,
          ...ended.results.flatMap(({ conversations }) => conversations[0]?.agent_version),
        ];
      };
      expect(await versions({})).toEqual(['passed', 'v1']);
      expect(await versions({ agent_version_target: 'latest' })).toEqual(['passed', 'v1']);
      expect(await versions({ agent_version_target: 'specific', agent_version_id: 'v2' })).toEqual([
        'passed',
        'v2',
      ]);

      const body = JSON.stringify({ testSuiteId: 'green' });
      const started = await http('/test-runs', { method: 'POST', body });
      expect(started).toMatchObject({
        status: 200,
        body: { suite: { name: 'green' }, startedBy: 'operator:local' },
      });
      expect(await endedRun((started.body as { id: string }).id)).toMatchObject({ outcome: 'passed' });
    },
  );
});

describe('a suite over MCP', () => {
  test(verifies('is created and updated', 'M11'), async () => {
    const created = await tool('create-test-suite', { name: 'over mcp', test_case_ids: ['passes'] });
    expect(created).toMatchObject({ isError: false, answer: { name: 'over mcp', revision: 1 } });
    const { id, revision } = created.answer as { id: string; revision: number };
    const updated = await tool('update-test-suite', {
      id,
      revision,
      name: 'over mcp',
      test_case_ids: ['fails', 'passes'],
    });
    expect(updated).toMatchObject({ isError: false, answer: { id, revision: 2 } });
    expect((updated.answer as { test_case_ids: string[] }).test_case_ids).toHaveLength(2);
  });

  test.each([
    ['run-test-suite', { test_suite_id: 'ghost' }, /ghost/],
    ['run-test-suite', { test_suite_id: 'empty' }, /no test cases/],
    [
      'run-test-suite',
      { test_suite_id: 'green', agent_version_target: 'specific' },
      /agent_version_id: is needed/,
    ],
    [
      'run-test-suite',
      { test_suite_id: 'green', agent_version_id: 'v2' },
      /agent_version_id: goes only with/,
    ],
    [
      'run-test-suite',
      { test_suite_id: 'green', agent_version_target: 'specific', agent_version_id: 'v9' },
      /v9/,
    ],
    [
      'run-test-suite',
      { test_suite_id: 'green', agent_version_target: 'newest' },
      /one of configured, latest, specific/,
    ],
    ['run-test-suite', { test_suite_id: 'green', environment: 'prod' }, /environment: is not a known field/],
    ['create-test-suite', { name: ' ', test_case_ids: [] }, /name: must not be blank/],
    ['create-test-suite', { name: 'x' }, /test_case_ids: is needed/],
    [
      'create-test-suite',
      { name: 'x', test_case_ids: ['passes', 'passes'] },
      /test_case_ids\[1\]: is the same test case as entry \[0\]/,
    ],
    ['list-test-suites', { cursor: '?' }, /cursor: must be the cursor/],
    ['update-test-suite', { name: 'x', test_case_ids: [] }, /id: is needed/],
    [
      'update-test-suite',
      { id: 'green', name: 'green', test_case_ids: [] },
      /revision: is needed: read first what is to be changed, and give the revision that it has/,
    ],
    ['get-test-run-result', { test_run_id: 'ghost' }, /ghost/],
  ])(
    verifies('is refused as a tool error that says why: %s %j', 'M10', 'M11', 'M20'),
    async (name, args, said) => {
      const refused = await tool(name, args);
      expect(refused).toMatchObject({ isError: true, text: expect.stringMatching(said) });
      // fields have one name here, also within a sentence
      expect(refused.text).not.toMatch(/[a-z][A-Z]/);
    },
  );
});

describe('prompts over MCP', () => {
  test('are created, listed, read, replaced and archived', async () => {
    const created = await tool('create-prompt', { name: 'over mcp', body: 'b' });
    expect(created).toMatchObject({
      isError: false,
      answer: { name: 'over mcp', revision: 1, document: { name: 'over mcp', body: 'b' }, warnings: [] },
    });
    const { id } = created.answer as { id: string };
    const listed = await tool('list-prompts', { search: 'OVER', sort: '-updatedAt', limit: 1 });
    expect(listed.answer).toMatchObject({
      items: [{ id, name: 'over mcp', updated_at: expect.any(String) }],
      next_cursor: null,
    });
    expect((await tool('get-prompt', { id: 'over mcp' })).answer).toEqual(created.answer);
    const changed = await tool('update-prompt', { id, revision: 1, name: 'still over mcp', body: 'c' });
    expect(changed).toMatchObject({ isError: false, answer: { id, revision: 2, name: 'still over mcp' } });
    const stale = await tool('update-prompt', { id, revision: 1, name: 'over mcp', body: 'b' });
    expect(stale).toMatchObject({
      isError: true,
      text: expect.stringContaining('the revision is 2 now, not 1'),
    });
    expect(await tool('archive-prompt', { id: 'still over mcp' })).toMatchObject({
      isError: false,
      answer: { id, name: 'still over mcp' },
    });
    const gone = await tool('get-prompt', { id });
    expect(gone).toMatchObject({ isError: true, text: expect.stringContaining(`There is no prompt`) });
    const wrong = await tool('list-test-cases', { test_suite: 'ghost' });
    expect(wrong.text).toContain('test_suite: names no test suite');
  });

  test('say what they do, as the contract does', async () => {
    const { tools } = await mcp.listTools();
    const hints = (name: string) => {
      const { readOnlyHint, destructiveHint } = tools.find((each) => each.name === name)?.annotations ?? {};
      return [readOnlyHint, destructiveHint];
    };
    for (const noun of ['prompt', 'skill', 'environment', 'test-case', 'test-suite', 'agent', 'mcp-server']) {
      expect(hints(`list-${noun}s`)).toEqual([true, false]);
      expect(hints(`get-${noun}`)).toEqual([true, false]);
      expect(hints(`create-${noun}`)).toEqual([false, false]);
      expect(hints(`update-${noun}`)).toEqual([false, true]);
      expect(hints(`archive-${noun}`)).toEqual([false, true]);
    }
  });
});

test('what was done over any surface stands in the audit log under the one who did it', async () => {
  const { openDatabase } = await import('../../src/store/database.ts');
  const { embeddedAccess } = await import('../../src/store/connection.ts');
  const { openEmbedded } = await import('../../src/store/embedded/server.ts');
  const embedded = await openEmbedded({ home: place.home });
  const database = openDatabase(embeddedAccess(embedded), { onIdleError: () => {} });
  const rows = await database.system
    .selectFrom('audit_entry')
    .select(['principal', 'action'])
    // what comes with the program is nobody's doing
    .where('principal', '<>', 'operator:program')
    .execute();
  await database.close();
  await embedded.stop();
  const actions = new Set(rows.map(({ action }) => action));
  for (const action of ['agent.create', 'test-run.start', 'test-suite.create', 'test-suite.update']) {
    expect(actions).toContain(action);
  }
  expect(new Set(rows.map(({ principal }) => principal))).toEqual(new Set(['operator:local']));
});
