import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { verifies } from '../verifies.ts';
import { type Installation, installation, suitesFile } from './installation.ts';
import { type ForeignClient, inspector, type McpServer, sdkClient } from './mcp-client.ts';

let place: Installation;
let server: McpServer;
beforeAll(async () => {
  place = await installation();
  const process = place.start(['serve', '--port', '0']);
  const [, url = ''] = await process.said('stdout', /serves (http:\S+) on/);
  const token = (await readFile(join(place.home, 'operator-token'), 'utf8')).trim();
  server = { url, token, home: place.home };
  expect(await place.assay(['apply', '-f', suitesFile])).toMatchObject({ code: 0 });
});
afterAll(() => place.remove());

interface Run {
  id: string;
  status: string;
  outcome: string | null;
}
interface Document extends Run {
  results: { id: string; test_case: { name: string }; conversations: { agent_version_id: string }[] }[];
  next_cursor?: string | null;
}

const clients: [string, () => Promise<ForeignClient>, string][] = [
  ['older generation, over HTTP', () => sdkClient(server, 'http', 'legacy'), 'legacy'],
  ['newer generation, over HTTP', () => sdkClient(server, 'http', 'modern'), 'modern'],
  ['older generation, over stdio', () => sdkClient(server, 'stdio', 'legacy'), 'legacy'],
  ['newer generation, over stdio', () => sdkClient(server, 'stdio', 'modern'), 'modern'],
];

/** What a tool answers that is not to refuse. */
function answering(client: () => ForeignClient) {
  return async <Answer>(name: string, args: Record<string, unknown> = {}): Promise<Answer> => {
    const { answer, isError, texts } = await client().call(name, args);
    expect(isError ? texts : []).toEqual([]);
    return answer as Answer;
  };
}

const hint = (readOnlyHint: boolean, destructiveHint: boolean) =>
  expect.objectContaining({ readOnlyHint, destructiveHint });
const hints = {
  'list-test-suites': hint(true, false),
  'create-test-suite': hint(false, false),
  'update-test-suite': hint(false, true),
  'run-test-suite': hint(false, false),
  'get-test-run-result': hint(true, false),
  'list-test-runs': hint(true, false),
  'list-test-results': hint(true, false),
  'get-test-result': hint(true, false),
  'cancel-test-run': hint(false, true),
};
const hintsOf = (tools: { name: string; annotations?: unknown }[]) =>
  Object.fromEntries(tools.map(({ name, annotations }) => [name, annotations]));

describe.each(clients)('the SDK, %s', (kind, connect, era) => {
  let client: ForeignClient;
  beforeAll(async () => {
    client = await connect();
  });
  afterAll(() => client?.close());
  const call = answering(() => client);

  test('is offered tools that say whether they write', async () => {
    expect(client.era).toBe(era);
    const tools = await client.tools();
    expect(hintsOf(tools)).toMatchObject(hints);
    const schema = tools.find(({ name }) => name === 'run-test-suite')?.inputSchema;
    expect(schema).toMatchObject({
      properties: {
        test_suite_id: {},
        agent_version_target: {},
        agent_version_id: {},
        wait_seconds: { minimum: 0, maximum: 600 },
      },
      required: ['test_suite_id'],
    });
  });

  test(verifies('runs a suite, waits for it and reads its result', 'M10', 'M20', 'M23'), async () => {
    const { items } = await call<{ items: { id: string; name: string }[] }>('list-test-suites');
    const red = items.find(({ name }) => name === 'red');
    const run = await call<Run>('run-test-suite', { test_suite_id: red?.id, wait_seconds: 50 });
    expect(run).toMatchObject({ status: 'finished', outcome: 'failed' });
    const result = await call<Document>('get-test-run-result', { test_run_id: run.id });
    expect(result).toMatchObject({ id: run.id, results: [{ test_case: { name: 'passes' } }, {}] });
    expect(result).not.toHaveProperty('next_cursor');

    const { id: agentId } = await call<{ id: string }>('get-agent', { id: 'plain' });
    const agent = await call<{ versions: { id: string; name: string }[] }>('get-agent', { id: agentId });
    const [v1, v2] = ['v1', 'v2'].map((name) => agent.versions.find((version) => version.name === name)?.id);
    expect(result.results[0]?.conversations[0]?.agent_version_id).toBe(v1);
    const draft = await call<Run>('run-test-suite', {
      test_suite_id: 'green',
      agent_version_target: 'specific',
      agent_version_id: v2,
      wait_seconds: 50,
    });
    const byDraft = await call<Document>('get-test-run-result', { test_run_id: draft.id });
    expect(byDraft.results[0]?.conversations[0]?.agent_version_id).toBe(v2);
  });

  test('looks at runs and their results in pages and one by one', async () => {
    const run = await call<Run>('run-test-suite', { test_suite_id: 'red', wait_seconds: 50 });
    const listed = await call<{ items: Run[] }>('list-test-runs', { test_suite: 'red', outcome: 'failed' });
    expect(listed.items[0]?.id).toBe(run.id);
    const failed = await call<{ items: { id: string; seq: number }[] }>('list-test-results', {
      test_run_id: run.id,
      outcome: 'failed',
    });
    expect(failed).toMatchObject({
      items: [{ seq: 2, test_case: { name: 'fails' }, agent_version: 'v1', attempt: 1 }],
      next_cursor: null,
    });
    const first = await call<Document>('get-test-run-result', { test_run_id: run.id, limit: 1 });
    expect(first).toMatchObject({ results: [{ test_case: { name: 'passes' } }] });
    expect(first.results).toHaveLength(1);
    const rest = await call<Document>('get-test-run-result', {
      test_run_id: run.id,
      cursor: first.next_cursor,
    });
    expect(rest).toMatchObject({ results: [{ test_case: { name: 'fails' } }], next_cursor: null });
    const one = await call('get-test-result', { test_result_id: failed.items[0]?.id });
    expect(one).toMatchObject({ ...rest.results[0], seq: 2, status: 'done', test_run: { id: run.id } });
  });

  test('waits for a run no longer than it says, and cancels it', async () => {
    const run = await call<Run>('run-test-suite', { test_suite_id: 'stuck', wait_seconds: 1 });
    expect(run).toMatchObject({ outcome: null });
    expect(['queued', 'running']).toContain(run.status);
    expect(await call<Run>('cancel-test-run', { test_run_id: run.id })).toMatchObject({
      id: run.id,
      status: 'cancelled',
    });
  });

  test('gets the answer as text too', async () => {
    const { answer, texts } = await client.call('list-test-suites', {});
    expect(texts.map((text) => JSON.parse(text))).toEqual([answer]);
  });

  test(verifies('creates and updates a suite', 'M11'), async () => {
    const name = `by ${kind}`;
    const created = await call<{ id: string; revision: number }>('create-test-suite', {
      name,
      test_case_ids: ['passes'],
    });
    expect(created).toMatchObject({ name, revision: 1 });
    const { id, revision } = created;
    const both = ['fails', 'passes'];
    const updated = await call('update-test-suite', { id, revision, name, test_case_ids: both });
    expect(updated).toMatchObject({
      id,
      revision: 2,
      test_case_ids: [expect.any(String), expect.any(String)],
    });
  });

  test.each([
    ['run-test-suite', { test_suite_id: 'ghost' }, /ghost/],
    [
      'run-test-suite',
      { test_suite_id: 'green', agent_version_target: 'specific' },
      /agent_version_id: is needed/,
    ],
    ['run-test-suite', { test_suite_id: 'green', wait_seconds: 601 }, /wait_seconds: must be at most 600/],
    ['create-test-suite', { name: 'x' }, /test_case_ids: is needed/],
    ['get-test-run-result', { test_run_id: 'ghost' }, /test_run_id: names no test run/],
    ['get-test-result', { test_result_id: 'ghost' }, /test_result_id: names no test result/],
    ['list-test-runs', { test_suite: 'ghost' }, /test_suite: names no test suite/],
  ])(
    verifies('is refused with a tool error that says why: %s %j', 'M10', 'M11', 'M20'),
    async (name, args, said) => {
      const refused = await client.call(name, args);
      expect(refused).toMatchObject({ isError: true, texts: [expect.stringMatching(said)] });
      // fields have one name here, also within a sentence
      expect(refused.texts[0]).not.toMatch(/[a-z][A-Z]/);
    },
  );
});

describe.each(['http', 'stdio'] as const)('the inspector, over %s', (transport) => {
  const client = () => inspector(server, transport, place.files);
  const call = answering(client);

  test('can read every schema and hint of the tools', async () => {
    expect(hintsOf(await client().tools())).toMatchObject(hints);
  });

  test(verifies('runs a suite and reads its result', 'M10', 'M20', 'M23'), async () => {
    const run = await call<Run>('run-test-suite', {
      test_suite_id: 'green',
      agent_version_target: 'latest',
      wait_seconds: 50,
    });
    expect(run).toMatchObject({ status: 'finished', outcome: 'passed' });
    const result = await call<Document>('get-test-run-result', { test_run_id: run.id });
    expect(result.results[0]?.conversations[0]?.agent_version_id).toMatch(/^[0-9a-f-]{36}$/);
  });

  test('is told why a call is refused', async () => {
    expect(await client().call('get-test-result', { test_result_id: 'ghost' })).toMatchObject({
      isError: true,
      texts: [expect.stringMatching(/test_result_id: names no test result/)],
    });
  });
});
