import { isContractProcedure } from '@orpc/contract';
import { type AnyProcedure, createRouterClient, isProcedure, unlazyRouter } from '@orpc/server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type NounWorld, nounWorld } from '../../../test/noun-world.ts';
import { type AssayClient, envelopeOf } from '../../contract/client.ts';
import { contract } from '../../contract/index.ts';
import type { OperationMeta } from '../../contract/operation.ts';
import { type Role, roles } from '../../core/role.ts';
import { router } from '../router.ts';
import { type Caller, localCaller } from './caller.ts';

interface Operation {
  name: string;
  path: string[];
  meta: OperationMeta;
  route: { method?: string; path?: string; summary?: string };
}

function operationsOf(node: object, path: string[] = []): Operation[] {
  return Object.entries(node).flatMap(([key, value]) => {
    const here = [...path, key];
    if (!isContractProcedure(value)) return operationsOf(value, here);
    const { meta, route } = value['~orpc'];
    return [{ name: here.join('.'), path: here, meta: meta as OperationMeta, route }];
  });
}
const all = operationsOf(contract);

describe('the contract', () => {
  test('has no two operations at one address, and no two tools of one name', () => {
    const addresses = all.map(({ route }) => `${route.method} ${route.path}`);
    const tools = all.flatMap(({ meta }) => meta.mcp?.name ?? []);
    expect(new Set(addresses).size).toBe(addresses.length);
    expect(new Set(tools).size).toBe(tools.length);
    expect(tools.every((name) => /^[a-z]+(-[a-z]+)*$/.test(name))).toBe(true);
  });

  test.each(all.map((operation) => [operation.name, operation] as const))(
    '%s has a role, a summary and an implementation',
    async (_, { path, meta, route }) => {
      expect(roles).toContain(meta.role);
      expect(route.summary).toMatch(/\w/);
      const part = path[0] as keyof typeof router;
      const loaded: unknown = await unlazyRouter({ [part]: router[part] });
      const implemented = path.reduce((node, key) => (node as Record<string, unknown>)[key], loaded);
      expect(isProcedure(implemented)).toBe(true);
      expect((implemented as AnyProcedure)['~orpc'].handler).toBeTypeOf('function');
      if (meta.role === 'viewer' || route.method === 'GET') expect(meta.mcp?.readOnly ?? true).toBe(true);
    },
  );
});

describe('a call', () => {
  let world: NounWorld;
  beforeAll(async () => {
    world = await nounWorld();
  });
  afterAll(() => world.close());

  const clientOf = (caller: Caller, workspaceRef = 'main'): AssayClient =>
    createRouterClient(router, { context: { caller, workspaceRef, program: world.context().program } });
  const withRole = (role: Role | null, only?: string): Caller => ({
    ...localCaller,
    roleIn: (id) => (only === undefined || only === id ? role : null),
  });
  const refusal = async (work: Promise<unknown>) => {
    const error = await work.then(
      () => new Error('it was accepted'),
      (thrown: unknown) => thrown,
    );
    const envelope = envelopeOf(error);
    if (envelope === null) throw error;
    return { ...envelope, status: (error as { status: number }).status };
  };

  test('needs the role of its operation in the current workspace', async () => {
    const suite = { name: 'mine', testCaseIds: [] };
    expect(await refusal(clientOf(withRole('viewer')).testSuites.create(suite))).toMatchObject({
      code: 'forbidden',
      status: 403,
      message: expect.stringContaining('needs the role editor in the workspace "main"; yours is viewer'),
    });
    expect((await clientOf(withRole('viewer')).testSuites.list({})).items).toEqual([]);
    expect(await clientOf(withRole('editor')).testSuites.create(suite)).toMatchObject({ name: 'mine' });
  });

  test('is told of its role before anything about its input', async () => {
    const call = clientOf(withRole('viewer')).testSuites.create({ name: '', testCaseIds: [] });
    expect(await refusal(call)).toMatchObject({ code: 'forbidden' });
  });

  test('into a workspace that the caller may not see ends like one into none at all', async () => {
    const [main] = world.context().visible.filter(({ name }) => name === 'main');
    const [assay] = world.context().visible.filter(({ name }) => name === 'assay');
    const foreign = await refusal(clientOf(withRole('admin', main?.id), 'assay').testSuites.list({}));
    const missing = await refusal(clientOf(withRole('admin', main?.id), 'nowhere').testSuites.list({}));
    expect(JSON.parse(JSON.stringify(foreign).replaceAll('assay', 'nowhere'))).toEqual(missing);
    expect(foreign).toMatchObject({ code: 'not_found', status: 404 });
    expect((await clientOf(withRole('admin', assay?.id), assay?.id).testSuites.list({})).items).toEqual([]);
  });

  test('by an id reaches every workspace that the caller may see, with the role they have there', async () => {
    const ids = Object.fromEntries(world.context().visible.map(({ id, name }) => [name, id]));
    const theirs = await clientOf(localCaller, 'assay').testSuites.create({
      name: 'theirs',
      testCaseIds: [],
    });
    expect(await clientOf(localCaller).testSuites.get({ id: theirs.id })).toEqual(theirs);
    expect(await refusal(clientOf(localCaller, 'main').testSuites.get({ id: 'theirs' }))).toMatchObject({
      code: 'not_found',
    });
    const viewsAssay: Caller = {
      ...localCaller,
      roleIn: (id) => (id === ids.assay ? 'viewer' : 'admin'),
    };
    const change = { id: theirs.id, revision: theirs.revision, name: 'changed', testCaseIds: [] };
    expect(await refusal(clientOf(viewsAssay, 'main').testSuites.update(change))).toMatchObject({
      code: 'forbidden',
      message: expect.stringContaining('"assay"'),
    });
    const foreign = clientOf(withRole('admin', ids.main), 'main').testSuites.get({ id: theirs.id });
    const unknownId = theirs.id.replace(/.$/, (last) => (last === '0' ? '1' : '0'));
    const missing = clientOf(withRole('admin', ids.main), 'main').testSuites.get({ id: unknownId });
    expect(JSON.stringify(await refusal(foreign)).replaceAll(theirs.id, unknownId)).toBe(
      JSON.stringify(await refusal(missing)),
    );
  });

  test('with a wrong input names each wrong field and its value, and stores nothing', async () => {
    const before = await world.everything();
    const { testSuites, testRuns } = clientOf(localCaller);
    expect(await refusal(testSuites.create({ name: '', testCaseIds: 'x' } as never))).toMatchObject({
      code: 'invalid_input',
      status: 400,
      details: [
        { field: 'name', value: '', message: expect.stringContaining('must not be blank') },
        { field: 'testCaseIds', value: 'x', message: 'must be a list (it is "x")' },
      ],
    });
    expect(await refusal(testRuns.start({ testSuiteId: 'mine', parallel: 65 }))).toMatchObject({
      message: 'parallel must be at most 64 (it is 65).',
    });
    expect(await world.everything()).toEqual(before);
  });

  test.each(all.map((operation) => [operation.name, operation] as const))(
    'of %s is told of its role first, and then of a field that is not known',
    async (_, { path, meta }) => {
      const at = (role: Role | null) =>
        path.reduce<unknown>(
          (node, key) => (node as Record<string, unknown>)[key],
          clientOf(withRole(role)),
        ) as (input: object) => Promise<unknown>;
      const input = { 'no such field': 1 };
      expect(await refusal(at('admin')(input))).toMatchObject({
        code: 'invalid_input',
        details: expect.arrayContaining([expect.objectContaining({ field: '["no such field"]' })]),
      });
      for (const role of [null, ...roles.slice(0, roles.indexOf(meta.role))]) {
        const code = role === null ? 'not_found' : 'forbidden';
        expect(await refusal(at(role)(input))).toMatchObject({ code });
      }
    },
  );

  test('on a database that is gone is refused as unavailable, without a word of its inside', async () => {
    const gone = await nounWorld();
    const { program } = gone.context();
    await gone.close();
    const client: AssayClient = createRouterClient(router, {
      context: { caller: localCaller, workspaceRef: 'main', program },
    });
    const { status, message, details } = await refusal(client.testSuites.list({}));
    expect(status).toBeGreaterThanOrEqual(500);
    expect(message).toMatch(/^(The database does not answer|Something went wrong inside Assay)/);
    expect(details).toEqual([]);
  });
});
