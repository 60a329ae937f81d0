import { afterAll, beforeAll, expect, test } from 'vitest';
import { served } from '../../../test/model-server.ts';
import { type ProgramWorld, programWorld } from '../../../test/program-world.ts';
import { installedServer, unruly } from '../../../test/tool-bench.ts';
import { verifies } from '../../../test/verifies.ts';
import type { AssayClient } from '../../contract/client.ts';

/** `assay` provides agents with real servers, `main` runs them. */
let world: ProgramWorld;
let provider: AssayClient;
let consumer: AssayClient;
beforeAll(async () => {
  world = await programWorld();
  provider = world.client('assay');
  consumer = world.client('main');
});
afterAll(() => world.close());

type Transport = Parameters<AssayClient['mcpServers']['create']>[0]['transport'];
const everything = installedServer('everything', ['stdio']).transport as Transport;
const unrulyServer = unruly().transport as Transport;

async function provide(name: string, servers: Record<string, Transport>, usesSecrets = false) {
  for (const [server, transport] of Object.entries(servers)) {
    await provider.mcpServers.create({ name: server, transport });
  }
  const version = { model: 'offline', mcpServers: Object.keys(servers) };
  await provider.agents.create({
    name,
    versions: [{ name: 'v1', status: 'active', ...version }],
    deployments: { dev: 'v1' },
  });
  return provider.grants.create({ agent: name, workspace: 'main', usesSecrets });
}

type Checks = Parameters<AssayClient['testCases']['create']>[0]['checks'];

/** A suite of `main` with one case of this agent. */
async function suiteOf(name: string, agent: string, request: string, checks: NonNullable<Checks>) {
  const conversation = { type: 'single' as const, request };
  const created = await consumer.testCases.create({ name, agent, environment: 'dev', conversation, checks });
  await consumer.testSuites.create({ name, testCaseIds: [name] });
  return created;
}

test('a case that was queued before its agent was provided no longer is an error that says so', async () => {
  const { id } = await provide('late', {});
  await suiteOf('waits', 'late', 'Hello', [{ type: 'tool_not_called', tool: 'erase' }]);
  const { id: testRunId } = await consumer.testRuns.start({ testSuiteId: 'waits' });
  await provider.grants.revoke({ id });
  await world.startWorker({ lanes: 4 });
  const ended = async () => (await consumer.testRuns.get({ testRunId })).outcome;
  await expect.poll(ended, { timeout: 30_000 }).not.toBeNull();
  const { results } = await consumer.testRuns.get({ testRunId });
  expect(results[0]).toMatchObject({
    outcome: 'error',
    reason: 'The agent "late" is no longer provided by the workspace "assay".',
    conversations: [],
  });
});

test(
  verifies(
    'checks know the tools of the version that answered, which another workspace provides',
    'M42',
    'M30',
  ),
  async () => {
    await provide('helper', { everything, unruly: unrulyServer });
    // a server of the same name here, with other tools: it is none of the version's
    await consumer.mcpServers.create({ name: 'everything', transport: unrulyServer });
    const created = await suiteOf('tools', 'helper', 'Echo the message "hällo"', [
      { type: 'tool_called', tool: 'echo' },
      { type: 'tool_called', tool: 'eco' },
      { type: 'tool_not_called', tool: 'get-tiny-imag' },
      { type: 'no_write_before', tool: 'echo' },
    ]);
    expect(created.warnings).toEqual([
      expect.stringMatching(/^The version "v1", which answers now, .*"eco".*"echo"/),
      expect.stringMatching(/"get-tiny-imag".*"get-tiny-image"/),
    ]);

    const { results } = await world.run('tools');
    expect(results[0]).toMatchObject({ outcome: 'failed' });
    const [conversation] = results[0]?.conversations ?? [];
    expect(conversation?.toolCalls).toMatchObject([
      { server: 'everything', tool: 'echo', args: { message: 'hällo' }, isError: false },
    ]);
    expect(conversation?.checks).toMatchObject([
      { outcome: 'passed' },
      { outcome: 'failed', reason: expect.stringContaining('"echo"') },
      { outcome: 'skipped', reason: expect.stringContaining('"get-tiny-image"') },
      { outcome: 'passed' },
    ]);
  },
);

test(verifies('a conversation names the version of a provided agent that answered', 'M23'), async () => {
  await provide('named', { 'tools of named': unrulyServer });
  await suiteOf('names', 'named', 'Hello', [{ type: 'tool_not_called', tool: 'erase' }]);
  const answered = async () => (await world.run('names')).results[0]?.conversations[0];
  const first = await answered();
  expect(first).toMatchObject({ agentVersion: 'v1', outcome: 'passed' });
  expect((await answered())?.agentVersionId).toBe(first?.agentVersionId);
  const { versions } = await provider.agents.get({ id: 'named' });
  expect(versions.map(({ id }) => id)).not.toContain(first?.agentVersionId);
});

test('the own tools of this product act where the agent is tested', async () => {
  await provide('maker', { assay: { type: 'builtin' } });
  await suiteOf('makes', 'maker', 'Create a prompt named "made-{{run}}" with the body "Be brief."', [
    { type: 'tool_called', tool: 'create-prompt' },
    { type: 'object_exists', object: 'prompt', name: 'made-{{run}}', createdDuring: true },
  ]);
  const run = await world.run('makes');
  expect(run.results[0]).toMatchObject({ outcome: 'passed' });
  expect((await consumer.prompts.list({ search: 'made-' })).items).toHaveLength(1);
  expect((await provider.prompts.list({ search: 'made-' })).items).toEqual([]);
});

test('a grant that is revoked while a run is at work ends it with the case that runs', async () => {
  const { id } = await provide('midway', { 'tools of midway': everything });
  const slow = 'Trigger the long running operation with duration 2 and steps 1';
  const called = [{ type: 'tool_called' as const, tool: 'trigger-long-running-operation' }];
  const cases = ['midway 1', 'midway 2'];
  for (const name of cases) await suiteOf(name, 'midway', slow, called);
  await consumer.testSuites.create({ name: 'midway', testCaseIds: cases });
  const { id: testRunId } = await consumer.testRuns.start({ testSuiteId: 'midway', parallel: 1 });
  const results = async () => (await consumer.testRuns.get({ testRunId })).results;
  const calls = async () => (await results())[0]?.conversations[0]?.toolCalls.length;
  await expect.poll(calls, { timeout: 20_000 }).toBe(1);
  await provider.grants.revoke({ id });
  await world.ended(testRunId);
  expect(await results()).toMatchObject([
    { outcome: 'passed' },
    { outcome: 'error', reason: 'The agent "midway" is no longer provided by the workspace "assay".' },
  ]);
});

test('a case of an agent that is no longer provided is an error that says so, and old results stay', async () => {
  const { id } = await provide('lost', { 'tools of lost': unrulyServer });
  await suiteOf('loses', 'lost', 'Hello', [{ type: 'tool_not_called', tool: 'erase' }]);
  expect((await world.run('loses')).outcome).toBe('passed');
  await provider.grants.revoke({ id });
  const run = await world.run('loses');
  expect(run).toMatchObject({ outcome: 'error', status: 'finished' });
  expect(run.results[0]?.reason).toBe('The agent "lost" is no longer provided by the workspace "assay".');
  const { items } = await consumer.testRuns.list({});
  const older = items.find(({ suite, outcome }) => suite.name === 'loses' && outcome === 'passed');
  const { results } = await consumer.testRuns.get({ testRunId: older?.id as string });
  expect(results[0]).toMatchObject({ outcome: 'passed', conversations: [{ agentVersion: 'v1' }] });
});

test('secrets that are lent do not go where a target here points, which makes the case an error', async () => {
  const received: (string | undefined)[] = [];
  await using server = await served(({ url, headers }, response) => {
    received.push(`${url} ${headers['x-api-key']}`);
    response.writeHead(500).end();
  });
  const transport = {
    type: 'http' as const,
    url: `${server.url}/theirs`,
    headers: { 'x-api-key': 'lent-secret' },
  };
  await provide('lent', { tenants: transport }, true);
  const { id } = await consumer.mcpServers.create({
    name: 'tenants',
    transport: { type: 'http', url: `${server.url}/ours` },
  });
  const endpoint = `${server.url}/evil`;
  await consumer.mcpServers.setTarget({ id, environment: 'dev', mode: 'real', endpoint });
  await suiteOf('lends', 'lent', 'Hello', [{ type: 'tool_not_called', tool: 'erase' }]);
  received.length = 0;
  const { results } = await world.run('lends');
  expect(results[0]).toMatchObject({
    outcome: 'error',
    reason: expect.stringContaining('The target of "tenants" in this environment names another endpoint'),
  });
  expect(received).toEqual([]);
});
