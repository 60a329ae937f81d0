// biome-ignore-all lint/suspicious/noTemplateCurlyInString: this is how object files write variables
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type NounWorld, nounWorld } from '../../../test/noun-world.ts';
import type { LenientClient } from '../../../test/present-revision.ts';
import { secrets } from '../../../test/tool-bench.ts';
import { verifies } from '../../../test/verifies.ts';
import type { FrozenAgent, FrozenServer } from '../../core/frozen.ts';
import { createSubjectLoader } from '../testing/worker/frozen-subjects.ts';

/** `assay` provides, `main` receives. */
let world: NounWorld;
let provider: LenientClient;
let consumer: LenientClient;
beforeAll(async () => {
  world = await nounWorld();
  provider = world.client({ workspace: 'assay' });
  consumer = world.client({ workspace: 'main' });
});
afterAll(() => world.close());

type Server = Parameters<LenientClient['mcpServers']['create']>[0];

const server = (name: string, { host = 'there', token }: { host?: string; token?: string } = {}): Server => ({
  name,
  transport: {
    type: 'http',
    url: `https://${host}.invalid/mcp`,
    headers: token === undefined ? {} : { A: { template: '${TOKEN}', value: token } },
  },
});

/** An agent of `assay` with a server of its own name, provided to `main`, and a suite there with one case of it. */
async function provide(
  name: string,
  { usesSecrets = false, token }: { usesSecrets?: boolean; token?: string } = {},
) {
  const made = await provider.mcpServers.create(server(name, token === undefined ? {} : { token }));
  await provider.prompts.create({ name, body: 'as it was' });
  const parts = { model: 'offline', prompts: [name], mcpServers: [name] };
  await provider.agents.create({
    name,
    versions: [
      { name: 'v1', status: 'active', ...parts },
      { name: 'v2', status: 'active', ...parts },
    ],
    deployments: { dev: 'v1' },
  });
  const grant = await provider.grants.create({ agent: name, workspace: 'main', usesSecrets });
  await consumer.testCases.create({
    name,
    agent: name,
    environment: 'dev',
    conversation: { type: 'single', request: 'Hello' },
  });
  await consumer.testSuites.create({ name, testCaseIds: [name] });
  return { grant, serverId: made.id };
}

/** What a run of the suite has frozen for its one case. */
async function start(suite: string, target: 'configured' | 'latest' = 'configured') {
  const { id } = await consumer.testRuns.start({ testSuiteId: suite, agentVersionTarget: target });
  const { system } = world.database;
  const { frozen_work, workspace_id } = await system
    .selectFrom('test_result')
    .selectAll()
    .where('run_id', '=', id)
    .executeTakeFirstOrThrow();
  const { subject } = frozen_work;
  if ('unresolved' in subject) return subject;
  const { body } = await system
    .selectFrom('frozen_subject')
    .select('body')
    .where('workspace_id', '=', workspace_id)
    .where('content_hash', '=', subject.contentHash)
    .executeTakeFirstOrThrow();
  return { ...subject, runId: id, workspaceId: workspace_id, frozen: body };
}

async function frozen(suite: string, target: 'configured' | 'latest' = 'configured') {
  const started = await start(suite, target);
  if ('unresolved' in started) throw new Error(started.unresolved.message);
  return started;
}

async function unresolved(suite: string): Promise<{ code: string; message: string }> {
  const started = await start(suite);
  if ('unresolved' in started) return started.unresolved;
  throw new Error('a version answers');
}

function tokenOf({ transport }: FrozenServer): string | null {
  if (transport.type !== 'http') throw new Error('no http server');
  const { A } = transport.headers;
  return A === undefined ? null : secrets.open(A);
}
const onlyServer = (agent: FrozenAgent) => agent.mcpServers[0] as FrozenServer;

describe('the version that answers for a provided agent', () => {
  test(
    verifies('is the one deployed there in the environment of the same name, as it was frozen', 'M14', 'M21'),
    async () => {
      await provide('deployed');
      await provider.prompts.update({ id: 'deployed', name: 'deployed', body: 'changed since' });
      for (const target of ['configured', 'latest'] as const) {
        const { frozen: agent } = await frozen('deployed', target);
        const { id } = await consumer.agents.get({ id: 'deployed' });
        expect(agent).toMatchObject({
          agent: { id, name: 'deployed' },
          version: { name: 'v1' },
          prompts: [{ name: 'deployed', body: 'as it was' }],
          provider: { workspace: 'assay', usesSecrets: false },
        });
      }
      const before = await frozen('deployed');
      await provider.agents.deploy({ id: 'deployed', environment: 'dev', version: 'v2' });
      const after = await frozen('deployed');
      expect(after.frozen.version.name).toBe('v2');
      expect(after.frozen.version.id).not.toBe(before.frozen.version.id);
      await provider.agents.deploy({ id: 'deployed', environment: 'dev', version: 'v1' });
      expect(await frozen('deployed')).toMatchObject({
        contentHash: before.contentHash,
        frozen: { version: before.frozen.version },
      });
    },
  );

  test(verifies('is none where nothing is deployed there, and that says so', 'M23'), async () => {
    await provide('not in prod');
    await consumer.testCases.update({
      id: 'not in prod',
      name: 'not in prod',
      agent: 'not in prod',
      environment: 'prod',
      conversation: { type: 'single', request: 'Hello' },
    });
    expect(await unresolved('not in prod')).toEqual({
      code: 'no_version',
      message:
        'The agent "not in prod" is provided by the workspace "assay", where no version of it is deployed in the environment "prod". Ask there to deploy one.',
      params: { agent: 'not in prod', environment: 'prod' },
    });
    expect((await consumer.testCases.get({ id: 'not in prod' })).warnings).toEqual([
      expect.stringContaining('no version of it is deployed in the environment "prod"'),
    ]);
  });

  test('is none where there is no environment of that name there', async () => {
    await provide('elsewhere');
    await consumer.environments.create({ name: 'staging' });
    await consumer.testCases.update({
      id: 'elsewhere',
      name: 'elsewhere',
      agent: 'elsewhere',
      environment: 'staging',
      conversation: { type: 'single', request: 'Hello' },
    });
    expect(await unresolved('elsewhere')).toMatchObject({
      code: 'no_version',
      message: expect.stringContaining('which has no environment "staging". Ask there to deploy one.'),
    });
  });

  test('is none when the agent is no longer provided, and the same again when it is', async () => {
    const { grant } = await provide('ended');
    const before = await frozen('ended');
    await provider.grants.revoke({ id: grant.id });
    expect(await unresolved('ended')).toMatchObject({
      code: 'no_longer_provided',
      message: 'The agent "ended" is no longer provided by the workspace "assay".',
    });
    expect((await consumer.testCases.get({ id: 'ended' })).warnings).toEqual([
      'The agent "ended" is no longer provided by the workspace "assay".',
    ]);
    await provider.grants.create({ agent: 'ended', workspace: 'main' });
    expect((await frozen('ended')).contentHash).toBe(before.contentHash);
  });

  test('takes no case of another agent with it when it is missing', async () => {
    const { grant } = await provide('one of two');
    await provider.grants.revoke({ id: grant.id });
    const version = { name: 'own', status: 'active' as const, model: 'offline' };
    await consumer.agents.create({ name: 'own', versions: [version], deployments: { dev: 'own' } });
    await consumer.testCases.create({
      name: 'own case',
      agent: 'own',
      environment: 'dev',
      conversation: { type: 'single', request: 'Hello' },
    });
    await consumer.testSuites.create({ name: 'both', testCaseIds: ['one of two', 'own case'] });
    const { id } = await consumer.testRuns.start({ testSuiteId: 'both' });
    const rows = await world.database.system
      .selectFrom('test_result')
      .select('frozen_work')
      .where('run_id', '=', id)
      .orderBy('seq')
      .execute();
    expect(rows.map(({ frozen_work }) => Object.keys(frozen_work.subject))).toEqual([
      ['unresolved'],
      ['contentHash'],
    ]);
  });
});

describe('targets of the workspace that received the agent', () => {
  test('count for its server of the same name, and those of the other one do not', async () => {
    const { serverId } = await provide('targeted');
    await provider.mcpServers.setTarget({ id: serverId, environment: 'dev', mode: 'mock' });
    expect(onlyServer((await frozen('targeted')).frozen).target).toEqual({ mode: 'real', endpoint: null });
    const { id } = await consumer.mcpServers.create(server('targeted', { host: 'here' }));
    await consumer.mcpServers.setTarget({ id, environment: 'dev', mode: 'pass-through' });
    expect(onlyServer((await frozen('targeted')).frozen)).toMatchObject({
      id,
      transport: { url: 'https://there.invalid/mcp' },
      target: { mode: 'pass-through', endpoint: null },
    });
  });
});

describe('secrets of a server of the version', () => {
  test('are used where the grant says so, as they are when the run comes to it', async () => {
    await provide('trusted', { usesSecrets: true, token: 'first-token' });
    const { frozen: agent, contentHash, workspaceId, runId } = await frozen('trusted');
    expect(tokenOf(onlyServer(agent))).toBe('first-token');
    await provider.mcpServers.update({ ...server('trusted', { token: 'second-token' }), id: 'trusted' });
    const load = createSubjectLoader(world.database);
    const token = async () => tokenOf(onlyServer(await load({ workspaceId, runId }, contentHash)));
    expect(await token()).toBe('second-token');
    // and as they are by the next case of the run
    await provider.mcpServers.update({ ...server('trusted', { token: 'third-token' }), id: 'trusted' });
    expect(await token()).toBe('third-token');
  });

  test('are left out otherwise: the server of the same name here takes its place', async () => {
    await provide('replaced', { token: 'their-token' });
    const { id } = await consumer.mcpServers.create({
      ...server('replaced', { host: 'here', token: 'our-token' }),
      profile: 'long',
    });
    const { frozen: agent, contentHash, workspaceId, runId } = await frozen('replaced');
    expect(onlyServer(agent)).toMatchObject({
      id,
      profile: 'long',
      transport: { url: 'https://here.invalid/mcp' },
    });
    expect(onlyServer(agent)).not.toHaveProperty('lender');
    expect(tokenOf(onlyServer(agent))).toBe('our-token');
    await consumer.mcpServers.update({ ...server('replaced', { host: 'here', token: 'our-new-token' }), id });
    const loaded = await createSubjectLoader(world.database)({ workspaceId, runId }, contentHash);
    expect(tokenOf(onlyServer(loaded))).toBe('our-new-token');
  });

  test('that nothing takes the place of make the case an error, naming server and grant', async () => {
    await provide('bare', { token: 'their-token' });
    const message =
      'The agent "bare" needs the secrets of its MCP server "bare", and the grant of the workspace "assay" leaves them out. Make an MCP server of that name here, or ask there for a grant that uses the secrets.';
    expect(await unresolved('bare')).toMatchObject({ code: 'secrets_not_provided', message });
    expect((await consumer.testCases.get({ id: 'bare' })).warnings).toEqual([message]);
    const { id } = await consumer.mcpServers.create(server('bare', { host: 'here' }));
    expect(onlyServer((await frozen('bare')).frozen).id).toBe(id);
    await consumer.mcpServers.archive({ id });
    expect(await unresolved('bare')).toMatchObject({ code: 'secrets_not_provided' });
  });

  test('that are not there need no grant of them', async () => {
    const { serverId } = await provide('open');
    expect(onlyServer((await frozen('open')).frozen)).toMatchObject({
      transport: { url: 'https://there.invalid/mcp' },
      lender: { serverId },
    });
  });

  test.each([
    ['that is revoked', null, 'The agent "queued" is no longer provided by the workspace "assay".'],
    ['that leaves them out by now', false, 'without its secrets by now'],
  ])('of a queued run are used no more after a grant %s', async (what, again, message) => {
    const name = again === null ? 'queued' : `queued, then ${what}`;
    const { grant } = await provide(name, { usesSecrets: true, token: 'their-token' });
    const { contentHash, workspaceId, runId } = await frozen(name);
    await provider.grants.revoke({ id: grant.id });
    if (again !== null) await provider.grants.create({ agent: name, workspace: 'main', usesSecrets: again });
    const loading = createSubjectLoader(world.database)({ workspaceId, runId }, contentHash);
    await expect(loading).rejects.toMatchObject({
      name: 'ExecutionFailure',
      code: 'no_longer_provided',
      message: expect.stringContaining(message),
    });
  });
});
