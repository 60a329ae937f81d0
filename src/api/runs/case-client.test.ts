import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type ProgramWorld, programWorld } from '../../../test/program-world.ts';
import { verifies } from '../../../test/verifies.ts';
import type { Role } from '../../core/role.ts';
import { operationTools } from '../../mcp/tools.ts';
import { type Caller, tokenCaller, userCaller } from '../call/caller.ts';

const version = { name: 'v1', status: 'active', model: 'offline', instructions: 'Help.' };
const objects = [
  { kind: 'mcp-server', name: 'assay', transport: { type: 'builtin' }, isolation: 'run' },
  {
    kind: 'agent',
    name: 'helper',
    versions: [{ ...version, mcpServers: ['assay'] }],
    deployments: { dev: 'v1' },
  },
];

let world: ProgramWorld;
let mainId: string;
let person: { id: string; name: string };
beforeAll(async () => {
  world = await programWorld();
  await world.apply(objects.map((each) => JSON.stringify(each)).join('\n---\n'));
  const { items } = await world.client().workspaces.list({});
  mainId = items.find(({ name }) => name === 'main')?.id ?? '';
});
beforeEach(async () => {
  person = { id: randomUUID(), name: 'Ada' };
  await world.program.database.system
    .insertInto('auth_user')
    .values({ ...person, email: `${person.id}@example.com` })
    .execute();
});
afterAll(() => world.close());

async function become(role: Role | null): Promise<Caller> {
  const { system } = world.program.database;
  await system.deleteFrom('member').where('user_id', '=', person.id).execute();
  if (role !== null) {
    await system.insertInto('member').values({ workspace_id: mainId, user_id: person.id, role }).execute();
  }
  return userCaller(world.program.database, person, async () => null);
}

/** A suite of one case whose request is this. */
async function suite(request: string, repeat = 1): Promise<string> {
  const name = randomUUID().slice(0, 6);
  await world.client().testCases.create({
    name,
    agent: 'helper',
    environment: 'dev',
    conversation: { type: 'single', request },
    repeat,
    checks: [{ type: 'tool_called', tool: 'list-prompts' }],
  });
  const { id } = await world.client().testSuites.create({ name, testCaseIds: [name] });
  return id;
}

/** What the one call of the one case led to. `meanwhile` happens after the run was started and before anybody works on it. */
async function asked(request: string, caller?: Caller, meanwhile?: () => Promise<unknown>) {
  const { testRuns } = world.client('main', caller);
  const { id } = await testRuns.start({ testSuiteId: await suite(request) });
  await meanwhile?.();
  const worker = await world.startWorker({ lanes: 1 });
  await world.ended(id);
  await worker.stop();
  const { results } = await world.client().testRuns.get({ testRunId: id });
  const [call, ...others] = results[0]?.conversations[0]?.toolCalls ?? [];
  expect(others).toEqual([]);
  return {
    ...call,
    text: JSON.stringify(call?.result),
    outcome: results[0]?.outcome,
    reason: results[0]?.reason,
  };
}

describe('an agent with the tools of this product', () => {
  test('is offered all of them, with their hints', async () => {
    const { tools } = await world.client().mcpServers.get({ id: 'assay' });
    expect(tools?.map(({ name }) => name)).toEqual(operationTools().map(({ name }) => name));
    expect(tools?.find(({ name }) => name === 'list-prompts')?.annotations).toMatchObject({
      readOnlyHint: true,
    });
  });

  test('acts in the workspace of the run, in the name of whoever started it', async () => {
    const caller = await become('editor');
    const name = `made by ${person.id.slice(0, 6)}`;
    await asked(`Create a prompt named "${name}" with body "Be kind."`, caller);
    expect(await world.client().prompts.get({ id: name })).toMatchObject({ document: { body: 'Be kind.' } });
    const { items } = await world.client().auditLog({ action: 'prompt.create' });
    expect(items).toContainEqual(
      expect.objectContaining({ principal: `user:${person.id}`, objectName: name }),
    );
  });

  test(verifies('is not credited with an object that it only renamed', 'M39'), async () => {
    const name = randomUUID().slice(0, 6);
    const { prompts, testCases, testSuites } = world.client();
    await prompts.create({ name: `old ${name}`, body: 'Be kind.' });
    const judged = async (request: string) => {
      const testCase = `case ${randomUUID().slice(0, 6)}`;
      await testCases.create({
        name: testCase,
        agent: 'helper',
        environment: 'dev',
        conversation: { type: 'single', request },
        checks: [{ type: 'object_exists', object: 'prompt', name: `${name}-{{run}}`, createdDuring: true }],
      });
      const { id } = await testSuites.create({ name: testCase, testCaseIds: [testCase] });
      const { results } = await world.run(id);
      return results[0]?.conversations[0]?.checks[0];
    };
    const worker = await world.startWorker({ lanes: 1 });
    const rename = `Update the prompt with id "old ${name}" and name "${name}-{{run}}" and body "Be kind." and revision 1`;
    expect(await judged(rename)).toMatchObject({ outcome: 'failed', reasonCode: 'object_created_before' });
    const make = `Create a prompt named "${name}-{{run}}" with body "Be kind."`;
    expect(await judged(make)).toMatchObject({ outcome: 'passed' });
    await worker.stop();
  });

  test('sees no workspace but that of the run', async () => {
    const elsewhere = await world.client('assay').prompts.create({ name: 'elsewhere', body: 'Far away.' });
    expect(await asked('List all workspaces')).toMatchObject({
      result: { structuredContent: { items: [{ name: 'main' }] } },
    });
    const { isError, text } = await asked(`Get the prompt with id "${elsewhere.id}"`);
    expect({ isError, text }).toEqual({
      isError: true,
      text: expect.stringContaining(`There is no prompt \\"${elsewhere.id}\\".`),
    });
  });

  test('has them in each conversation, also where the conversations of a run share a server', async () => {
    const { id } = await world.client().testRuns.start({ testSuiteId: await suite('List all prompts', 2) });
    const worker = await world.startWorker({ lanes: 1 });
    await world.ended(id);
    await worker.stop();
    const { results } = await world.client().testRuns.get({ testRunId: id });
    const calls = results[0]?.conversations.flatMap(({ toolCalls }) => toolCalls);
    expect(calls?.map(({ isError }) => isError)).toEqual([false, false]);
  });

  const create = 'Create an environment named "stage"';
  const refused = (text: string) => ({ isError: true, text: expect.stringContaining(text) });

  test('may do no more than whoever started the run might do then', async () => {
    const editor = await become('editor');
    const needs = 'This needs the role admin in the workspace \\"main\\"; yours is editor.';
    expect(await asked(create, editor)).toMatchObject(refused(needs));
    expect(await asked(create, editor, () => become('admin'))).toMatchObject(refused(needs));
  });

  const lost = (text: string) => ({
    outcome: 'error',
    reason: expect.stringMatching(/^Technical error \(tool, server_lost\): /),
    error: {
      code: 'transport',
      message: expect.stringContaining(`in the name of whoever started the run, ${text}`),
    },
  });

  test('may do no more than they may do now, and is not blamed for what they lost', async () => {
    const admin = await become('admin');
    expect(await asked(create, admin, () => become('editor'))).toMatchObject(
      lost('who was admin in its workspace then and is editor there now. This needs the role admin'),
    );
    await become('admin');
    expect(await asked('List all prompts', admin, () => become('viewer'))).toMatchObject({
      isError: false,
      outcome: 'passed',
    });
    await become('admin');
    expect(await asked('List all prompts', admin, () => become(null))).toMatchObject(
      lost('and they may do nothing in its workspace any more.'),
    );
  });

  test('defines no server that runs a program, also in the name of an admin', async () => {
    const request =
      'Create an MCP server named "shell" with transport {"type": "stdio", "command": "sh", "args": []}';
    expect(await asked(request)).toMatchObject(refused('only where an admin defines it'));
    await expect(world.client().mcpServers.get({ id: 'shell' })).rejects.toThrow('There is no MCP server');
  });

  test('acts with the token that started the run, as long as that lasts', async () => {
    await become('admin');
    const { system } = world.program.database;
    const key = { id: randomUUID(), key: randomUUID(), reference_id: person.id };
    await system.insertInto('api_key').values(key).execute();
    const row = { key_id: key.id, owner_id: person.id, name: 'ci', role: 'editor' as const, start: 'assay_' };
    const id = randomUUID();
    await system
      .insertInto('api_token')
      .values({ workspace_id: mainId, id, ...row })
      .execute();
    const token = (await tokenCaller(world.program.database, { tokenId: id })) as Caller;

    expect(await asked('List all prompts', token)).toMatchObject({ isError: false });
    expect(await asked(create, token)).toMatchObject(refused('yours is editor'));
    const ended = () => system.deleteFrom('api_token').where('id', '=', id).execute();
    expect(await asked('List all prompts', token, ended)).toMatchObject(lost('and they may do nothing'));
  });
});
