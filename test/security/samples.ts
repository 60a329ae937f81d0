import { join } from 'node:path';
import type { AssayClient } from '../../src/contract/client.ts';

/** A valid input of an operation, on objects that are made for this one call: by `admin`, who may do everything in the
 *  workspace and `inWorkspace` in every other, or by whoever will call. `unique` is a word of its own. */
export type Sample = (
  admin: AssayClient,
  unique: string,
  caller: AssayClient,
  inWorkspace: (id: string) => AssayClient,
) => Promise<object>;

/** What people do in their browser and no token does, with the answer that even the token of an admin gets: it is for
 *  one workspace, and gives nobody access. */
export const browserOnly: Readonly<Record<string, number>> = {
  'workspaces.create': 403,
  'members.add': 403,
  'members.setRole': 403,
  'members.remove': 403,
  'workspaces.archive': 403,
  'grants.create': 404,
};

const none: Sample = async () => ({});
const single = { type: 'single' as const, request: 'hello' };

const agentDocument = (name: string) => ({
  name,
  versions: [{ name: 'v1', status: 'active' as const, model: 'offline' }],
  deployments: { dev: 'v1' },
});
const serverDocument = (name: string) => ({
  name,
  // nobody answers there; an address is enough for everything but its tools
  transport: { type: 'http' as const, url: 'http://127.0.0.1:9/mcp' },
});
const livingServer = (admin: AssayClient, unique: string) =>
  admin.mcpServers.create({
    name: `living ${unique}`,
    transport: {
      type: 'stdio',
      command: process.execPath,
      args: [join(import.meta.dirname, '..', 'servers', 'unruly.ts')],
    },
  });

async function agent(admin: AssayClient, unique: string) {
  return admin.agents.create(agentDocument(`agent ${unique}`));
}
async function testCase(admin: AssayClient, unique: string) {
  const { id } = await agent(admin, unique);
  return admin.testCases.create({
    name: `case ${unique}`,
    agent: id,
    environment: 'dev',
    conversation: single,
    checks: [{ type: 'skill_not_used', skill: 'any' }],
  });
}
async function suite(admin: AssayClient, unique: string) {
  const { id } = await testCase(admin, unique);
  return admin.testSuites.create({ name: `suite ${unique}`, testCaseIds: [id] });
}
async function run(admin: AssayClient, unique: string) {
  const { id } = await suite(admin, unique);
  return admin.testRuns.start({ testSuiteId: id });
}
async function finishedRun(admin: AssayClient, unique: string) {
  const { id } = await suite(admin, unique);
  return admin.testRuns.start({ testSuiteId: id, waitSeconds: 60 });
}
/** Goes on until it is cancelled: a tool of its agent never answers. */
async function endlessRun(admin: AssayClient, unique: string) {
  const { name } = await livingServer(admin, unique);
  const { id: agentId } = await admin.agents.create({
    name: `waiting ${unique}`,
    versions: [{ name: 'v1', status: 'active', model: 'offline', mcpServers: [name] }],
    deployments: { dev: 'v1' },
  });
  const { id: caseId } = await admin.testCases.create({
    name: `endless ${unique}`,
    agent: agentId,
    environment: 'dev',
    conversation: { type: 'single', request: 'hang' },
    checks: [{ type: 'tool_called', tool: 'hang' }],
  });
  const { id } = await admin.testSuites.create({ name: `endless ${unique}`, testCaseIds: [caseId] });
  return admin.testRuns.start({ testSuiteId: id });
}
const prompt = (admin: AssayClient, unique: string) =>
  admin.prompts.create({ name: `prompt ${unique}`, body: 'x' });
const skill = (admin: AssayClient, unique: string) =>
  admin.skills.create({ name: `skill ${unique}`, description: 'when', body: 'x' });
const environment = (admin: AssayClient, unique: string) =>
  admin.environments.create({ name: `env ${unique}` });
const server = (admin: AssayClient, unique: string) =>
  admin.mcpServers.create(serverDocument(`server ${unique}`));
const email = (unique: string) => `${unique}@example.com`;
const member = (admin: AssayClient, unique: string) =>
  admin.members.add({ email: email(unique), name: unique, role: 'viewer' });

const grant: Sample = async (admin, unique) => {
  const consumer = await admin.workspaces.create({ name: `consumer ${unique}` });
  const { id } = await agent(admin, unique);
  return { id: (await admin.grants.create({ agent: id, workspace: consumer.id })).id };
};

/** The object as an update names it. */
const known = ({ id, revision }: { id: string; revision: number }) => ({ id, revision });

type Named = (admin: AssayClient, unique: string) => Promise<{ id: string; name: string }>;
const idOf =
  (make: Named): Sample =>
  async (admin, unique) => ({ id: (await make(admin, unique)).id });

/** By the name of the operation in the contract. */
export const samples: Record<string, Sample> = {
  apply: async (_admin, unique) => ({
    files: [{ path: 'f.yaml', text: `kind: prompt\nname: applied ${unique}\nbody: x` }],
  }),
  read: async () => ({ file: { path: 'f.yaml', text: 'name: p\nbody: x' }, kind: 'prompt' }),
  export: none,
  me: none,
  'workspaces.list': none,
  'workspaces.create': async (_admin, unique) => ({ name: `workspace ${unique}` }),
  'workspaces.get': async (admin) => ({ id: (await admin.me({})).workspace.id }),
  'workspaces.update': async (admin) => {
    const { revision } = await admin.workspaces.get({ id: 'main' });
    return { name: 'main', timeZone: revision % 2 === 1 ? 'Europe/Berlin' : 'UTC', revision };
  },
  'workspaces.archive': async (admin, unique, _caller, inWorkspace) => {
    const { id } = await admin.workspaces.create({ name: `old ${unique}` });
    await inWorkspace(id).members.add({ email: 'admin@assay.example', role: 'admin' });
    return { id };
  },
  'members.list': none,
  'members.add': async (_admin, unique) => ({ email: email(unique), name: unique, role: 'viewer' }),
  'members.setRole': async (admin, unique) => ({
    userId: (await member(admin, unique)).userId,
    role: 'editor',
  }),
  'members.remove': async (admin, unique) => ({ userId: (await member(admin, unique)).userId }),
  'tokens.list': none,
  'tokens.revoke': async (_admin, unique, caller) => ({
    id: (await caller.tokens.create({ name: unique, role: 'viewer' })).id,
  }),
  'tokens.create': async (_admin, unique) => ({ name: unique, role: 'viewer' }),
  'settings.get': none,
  'settings.update': async (admin) => ({
    judgeModel: null,
    revision: (await admin.settings.get({})).revision,
  }),
  auditLog: none,
  'environments.list': none,
  'environments.get': idOf(environment),
  'environments.create': async (_admin, unique) => ({ name: `env ${unique}` }),
  'environments.update': async (admin, unique) => ({
    ...known(await environment(admin, unique)),
    name: `changed ${unique}`,
  }),
  'environments.archive': idOf(environment),
  'prompts.list': none,
  'prompts.get': idOf(prompt),
  'prompts.create': async (_admin, unique) => ({ name: `prompt ${unique}`, body: 'x' }),
  'prompts.update': async (admin, unique) => ({
    ...known(await prompt(admin, unique)),
    name: `prompt ${unique}`,
    body: 'y',
  }),
  'prompts.archive': idOf(prompt),
  'skills.list': none,
  'skills.get': idOf(skill),
  'skills.create': async (_admin, unique) => ({ name: `skill ${unique}`, description: 'when', body: 'x' }),
  'skills.update': async (admin, unique) => ({
    ...known(await skill(admin, unique)),
    name: `skill ${unique}`,
    description: 'when',
    body: 'y',
  }),
  'skills.archive': idOf(skill),
  'mcpServers.list': none,
  'mcpServers.get': idOf(server),
  'mcpServers.create': async (_admin, unique) => serverDocument(`server ${unique}`),
  'mcpServers.update': async (admin, unique) => ({
    ...known(await server(admin, unique)),
    ...serverDocument(`server ${unique}`),
    profile: 'long',
  }),
  'mcpServers.archive': idOf(server),
  'mcpServers.test': idOf(livingServer),
  'mcpServers.refreshTools': idOf(livingServer),
  'mcpServers.setTarget': async (admin, unique) => ({
    id: (await server(admin, unique)).id,
    environment: 'dev',
    mode: 'real',
  }),
  'agents.list': none,
  'agents.get': idOf(agent),
  'agents.create': async (_admin, unique) => agentDocument(`agent ${unique}`),
  'agents.update': async (admin, unique) => ({
    ...known(await agent(admin, unique)),
    ...agentDocument(`changed ${unique}`),
  }),
  'agents.archive': idOf(agent),
  'agents.deploy': async (admin, unique) => ({
    id: (await agent(admin, unique)).id,
    environment: 'prod',
    version: 'v1',
  }),
  'grants.list': none,
  'grants.create': async (admin, unique, _caller, inWorkspace) => {
    const consumer = await admin.workspaces.create({ name: `consumer ${unique}` });
    await inWorkspace(consumer.id).members.add({ email: 'admin@assay.example', role: 'editor' });
    return { agent: (await agent(admin, unique)).id, workspace: consumer.id };
  },
  'grants.get': grant,
  'grants.revoke': grant,
  'testCases.list': none,
  'testCases.get': idOf(testCase),
  'testCases.create': async (admin, unique) => ({
    name: `case ${unique}`,
    agent: (await agent(admin, unique)).id,
    environment: 'dev',
    conversation: single,
  }),
  'testCases.update': async (admin, unique) => {
    const { id, revision, document } = await testCase(admin, unique);
    return { ...document, id, revision, name: `changed ${unique}` };
  },
  'testCases.archive': idOf(testCase),
  'testSuites.list': none,
  'testSuites.get': idOf(suite),
  'testSuites.create': async (_admin, unique) => ({ name: `suite ${unique}`, testCaseIds: [] }),
  'testSuites.update': async (admin, unique) => {
    const { id, revision, testCaseIds } = await suite(admin, unique);
    return { id, revision, name: `changed ${unique}`, testCaseIds };
  },
  'testSuites.archive': idOf(suite),
  'testRuns.start': async (admin, unique) => ({ testSuiteId: (await suite(admin, unique)).id }),
  'testRuns.get': async (admin, unique) => ({ testRunId: (await run(admin, unique)).id }),
  'testRuns.list': none,
  'testRuns.results': async (admin, unique) => ({ testRunId: (await run(admin, unique)).id }),
  'testRuns.result': async (admin, unique) => {
    const { id } = await finishedRun(admin, unique);
    const [first] = (await admin.testRuns.results({ testRunId: id })).items;
    return { testResultId: first?.id };
  },
  'testRuns.progress': async (admin, unique) => ({ testRunId: (await finishedRun(admin, unique)).id }),
  'testRuns.junit': async (admin, unique) => ({ testRunId: (await finishedRun(admin, unique)).id }),
  'testRuns.cancel': async (admin, unique) => ({ testRunId: (await endlessRun(admin, unique)).id }),
};
