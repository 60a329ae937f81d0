import { isContractProcedure } from '@orpc/contract';
import { createRouterClient } from '@orpc/server';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type NounWorld, nounWorld } from '../../../test/noun-world.ts';
import { callsOf, nouns } from '../../../test/nouns.ts';
import { type LenientClient, withPresentRevision } from '../../../test/present-revision.ts';
import { toolBench, unruly } from '../../../test/tool-bench.ts';
import { contract } from '../../contract/index.ts';
import { router } from '../router.ts';
import { localCaller } from './caller.ts';

let world: NounWorld;
let client: LenientClient;
const { tools } = toolBench();
beforeAll(async () => {
  world = await nounWorld();
  const { program } = world.context();
  const context = { caller: localCaller, workspaceRef: 'main', program };
  client = withPresentRevision(createRouterClient(router, { context }));
  await world.apply(
    'kind: agent\nname: bot\nversions: [{name: v1, status: active, model: offline, instructions: Answer.}]\ndeployments: {dev: v1}',
  );
  await client.testCases.create(testCase('stored'));
  await client.testSuites.create({ name: 'stored', testCaseIds: ['stored'] });
});
afterAll(async () => {
  await tools.close();
  await world.close();
});

const testCase = (name: string) => ({
  name,
  agent: 'bot',
  environment: 'dev',
  conversation: { type: 'single' as const, request: 'Hello' },
  checks: [{ type: 'skill_not_used' as const, skill: 'none' }],
});

const server = (name: string) => {
  const { transport } = unruly();
  if (transport.type !== 'stdio') throw new Error('no stdio server');
  return { name, transport: { ...transport, env: {} } };
};

const member = async () => (await client.members.list({})).items[0]?.userId ?? '';

type Change = [call: () => Promise<unknown>, actions: string[]];

/** A new object of each noun, then another name for it, then its end. */
const changesOfNouns = Object.fromEntries(
  nouns.flatMap((noun): [string, Change][] => {
    const { kind, part, document } = noun;
    const calls = () => callsOf(client, noun);
    return [
      [`${part}.create`, [() => calls().create(document('new')), [`${kind}.create`]]],
      [`${part}.update`, [() => calls().update({ id: 'new', ...document('newer') }), [`${kind}.update`]]],
      [`${part}.archive`, [() => calls().archive({ id: 'newer' }), [`${kind}.archive`]]],
    ];
  }),
);

/** Operation → a call that changes something, and the actions that it leaves in the audit log. */
const changes: Record<string, Change> = {
  ...changesOfNouns,
  apply: [
    () =>
      client.apply({ files: [{ path: 'p.yaml', text: 'kind: prompt\nname: p\nbody: b' }], variables: {} }),
    ['prompt.create'],
  ],
  'workspaces.create': [() => client.workspaces.create({ name: 'new' }), ['workspace.create']],
  'workspaces.update': [
    () => client.workspaces.update({ name: 'main', timeZone: 'Europe/Berlin', revision: 1 }),
    ['workspace.update'],
  ],
  'workspaces.archive': [() => client.workspaces.archive({ id: 'new' }), ['workspace.archive']],
  'agents.create': [
    () =>
      client.agents.create({
        name: 'new',
        versions: [{ name: 'v1', status: 'active', model: 'offline' }],
      }),
    ['agent.create'],
  ],
  'agents.update': [() => client.agents.update({ id: 'new', name: 'newer' }), ['agent.update']],
  'agents.deploy': [
    () => client.agents.deploy({ id: 'newer', environment: 'dev', version: 'v1' }),
    ['agent.deploy'],
  ],
  'grants.create': [
    () => client.grants.create({ agent: 'newer', workspace: 'assay' }),
    ['grant.create', 'agent.receive'],
  ],
  'grants.revoke': [
    async () => {
      const [grant] = (await client.grants.list({})).items;
      await client.grants.revoke({ id: grant?.id ?? '' });
    },
    ['grant.revoke', 'agent.lose'],
  ],
  'agents.archive': [() => client.agents.archive({ id: 'newer' }), ['agent.archive']],
  'mcpServers.create': [() => client.mcpServers.create(server('new')), ['mcp-server.create']],
  'mcpServers.update': [
    () => client.mcpServers.update({ ...server('newer'), id: 'new' }),
    ['mcp-server.update'],
  ],
  // nothing is stored
  'mcpServers.test': [() => client.mcpServers.test({ id: 'newer' }), []],
  'mcpServers.refreshTools': [
    () => world.client({ tools }).mcpServers.refreshTools({ id: 'newer' }),
    ['mcp-server.refresh-tools'],
  ],
  'mcpServers.setTarget': [
    () => client.mcpServers.setTarget({ id: 'newer', environment: 'dev', mode: 'mock' }),
    ['mcp-server.set-target'],
  ],
  'mcpServers.archive': [() => client.mcpServers.archive({ id: 'newer' }), ['mcp-server.archive']],
  'settings.update': [() => client.settings.update({ judgeModel: 'openai:gpt-5' }), ['settings.update']],
  'members.add': [
    () => client.members.add({ email: 'ada@assay.example', name: 'Ada', role: 'editor' }),
    ['member.add'],
  ],
  'members.setRole': [
    async () => client.members.setRole({ userId: await member(), role: 'viewer' }),
    ['member.set-role'],
  ],
  'members.remove': [async () => client.members.remove({ userId: await member() }), ['member.remove']],
  'tokens.create': [() => client.tokens.create({ name: 'ci', role: 'editor' }), ['token.create']],
  'tokens.revoke': [
    async () => client.tokens.revoke({ id: (await client.tokens.list({})).items[0]?.id ?? '' }),
    ['token.revoke'],
  ],
  'testRuns.start': [() => client.testRuns.start({ testSuiteId: 'stored' }), ['test-run.start']],
  'testRuns.cancel': [
    async () => client.testRuns.cancel({ testRunId: (await client.testRuns.list({})).items[0]?.id ?? '' }),
    ['test-run.cancel'],
  ],
};

function methodsOf(node: object, path: string[] = []): [operation: string, method: string | undefined][] {
  return Object.entries(node).flatMap(([key, value]): [string, string | undefined][] =>
    isContractProcedure(value)
      ? [[[...path, key].join('.'), value['~orpc'].route.method]]
      : methodsOf(value, [...path, key]),
  );
}

const auditRows = () =>
  world.database.system.selectFrom('audit_entry').select(['id', 'action', 'principal']).execute();

test('whatever changes something is listed here', () => {
  const writing = methodsOf(contract).filter(([, method]) => method !== 'GET');
  // reads a file that it is sent
  const operations = writing.map(([operation]) => operation).filter((operation) => operation !== 'read');
  expect(Object.keys(changes).toSorted()).toEqual(operations.toSorted());
});

test.each(Object.entries(changes))('%s leaves an audit row of who did what', async (_, [call, actions]) => {
  const before = new Set((await auditRows()).map(({ id }) => id));
  await call();
  const added = (await auditRows()).filter(({ id }) => !before.has(id));
  expect(added.map(({ action, principal }) => [action, principal])).toEqual(
    actions.map((action) => [action, 'operator:local']),
  );
});
