import { isContractProcedure } from '@orpc/contract';
import { createRouterClient } from '@orpc/server';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type NounWorld, nounWorld } from '../../test/noun-world.ts';
import { toolBench, unruly } from '../../test/tool-bench.ts';
import type { AssayClient } from '../contract/client.ts';
import { contract } from '../contract/index.ts';
import type { OperationMeta } from '../contract/operation.ts';
import { localCaller } from './caller.ts';
import { router } from './router.ts';

let world: NounWorld;
let client: AssayClient;
const { tools } = toolBench();
beforeAll(async () => {
  world = await nounWorld();
  const { program } = world.context();
  client = createRouterClient(router, { context: { caller: localCaller, workspaceRef: 'main', program } });
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

/** Operation → a call that changes something, and the actions that it leaves in the audit log. */
const changes: Record<string, [call: () => Promise<unknown>, actions: string[]]> = {
  apply: [
    () =>
      client.apply({ files: [{ path: 'p.yaml', text: 'kind: prompt\nname: p\nbody: b' }], variables: {} }),
    ['prompt.create'],
  ],
  'testCases.create': [() => client.testCases.create(testCase('new')), ['test-case.create']],
  'testCases.update': [
    () => client.testCases.update({ ...testCase('renamed'), id: 'stored' }),
    ['test-case.update'],
  ],
  'testSuites.create': [
    () => client.testSuites.create({ name: 'new', testCaseIds: [] }),
    ['test-suite.create'],
  ],
  'testSuites.update': [
    () => client.testSuites.update({ id: 'new', name: 'newer', testCaseIds: [] }),
    ['test-suite.update'],
  ],
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
  'testRuns.start': [() => client.testRuns.start({ testSuiteId: 'stored' }), ['test-run.start']],
  'testRuns.cancel': [
    async () => client.testRuns.cancel({ testRunId: (await client.testRuns.list({})).items[0]?.id ?? '' }),
    ['test-run.cancel'],
  ],
};

function rolesOf(node: object, path: string[] = []): [operation: string, role: string][] {
  return Object.entries(node).flatMap(([key, value]): [string, string][] =>
    isContractProcedure(value)
      ? [[[...path, key].join('.'), (value['~orpc'].meta as OperationMeta).role]]
      : rolesOf(value, [...path, key]),
  );
}

const auditRows = () =>
  world.database.system.selectFrom('audit_entry').select(['id', 'action', 'principal']).execute();

test('whatever needs more than a viewer is listed here', () => {
  const writing = rolesOf(contract).filter(([, role]) => role !== 'viewer');
  expect(Object.keys(changes).toSorted()).toEqual(writing.map(([operation]) => operation).toSorted());
});

test.each(Object.entries(changes))('%s leaves an audit row of who did what', async (_, [call, actions]) => {
  const before = new Set((await auditRows()).map(({ id }) => id));
  await call();
  const added = (await auditRows()).filter(({ id }) => !before.has(id));
  expect(added.map(({ action, principal }) => [action, principal])).toEqual(
    actions.map((action) => [action, 'operator:local']),
  );
});
