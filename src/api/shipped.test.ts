import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ProgramWorld, programWorld } from '../../test/program-world.ts';
import { verifies } from '../../test/verifies.ts';
import { AssayError } from '../core/errors.ts';
import { type OperationTool, operationTools } from '../mcp/tools.ts';
import { openDatabase } from '../store/database.ts';
import { lockShipped } from '../store/shipped-objects.ts';
import { applyShipped } from './shipped.ts';

describe('the objects that come with the program', () => {
  let world: ProgramWorld;
  const reports: string[] = [];
  const report = (message: string, error: unknown) => reports.push(`${message}: ${(error as Error).message}`);
  const start = (version: string, program = world.program) => applyShipped(program, { version, report });
  const changes = async () => (await world.client('assay').auditLog({ limit: 200 })).items.length;

  beforeAll(async () => {
    world = await programWorld();
  });
  afterAll(() => world.close());

  test(
    verifies('are there after the first start, whatever starts at once: the agent and its suites', 'M85'),
    async () => {
      const databases = [1, 2, 3].map(() => openDatabase(world.access, { onIdleError: () => {} }));
      const programs = databases.map((database) => ({ ...world.program, database }));
      await Promise.all([world.program, ...programs].map((program) => start('1.0.0', program)));
      await Promise.all(databases.map((database) => database.close()));

      expect(reports).toEqual([]);
      const { agents, testSuites } = world.client('assay');
      const agent = await agents.get({ id: 'Assay Agent' });
      expect(agent.versions).toEqual([
        { id: expect.any(String), name: expect.stringMatching(/^1\.0\.0-[0-9a-f]{8}$/), status: 'active' },
      ]);
      expect(agent.deployments).toEqual({ dev: agent.versions[0]?.name });
      const { items } = await testSuites.list({});
      expect(items.map(({ name }) => name)).toEqual(['full', 'one query', 'smoke']);
    },
  );

  test('are doubtful in nothing', async () => {
    const { testCases } = world.client('assay');
    const { items } = await testCases.list({ limit: 200 });
    const warnings = await Promise.all(items.map(async ({ id }) => (await testCases.get({ id })).warnings));
    expect(warnings.flat()).toEqual([]);
  });

  test('provide the agent to the first workspace of others, once', async () => {
    const { items } = await world.client('assay').grants.list({});
    expect(items).toMatchObject([{ agent: { name: 'Assay Agent' }, consumer: { name: 'main' } }]);
    expect(await world.client().agents.get({ id: 'Assay Agent' })).toMatchObject({ providedBy: 'assay' });
    await world.client('assay').grants.revoke({ id: items[0]?.id ?? '' });
    await start('1.0.1');
    expect((await world.client('assay').grants.list({})).items).toEqual([]);
  });

  test('are left alone by a start that brings no others', async () => {
    const { skills } = world.client('assay');
    const { id, revision } = await skills.get({ id: 'proving with checks' });
    await skills.update({ id, revision, name: 'proving with checks', description: 'Ours.', body: '' });
    const before = await changes();
    // nor does it wait for one that applies others
    await world.program.database.system.transaction().execute(async (transaction) => {
      await lockShipped(transaction, 'assay');
      await start('1.0.1');
    });
    expect(await changes()).toBe(before);
    expect((await skills.get({ id })).document.description).toBe('Ours.');
  });

  test('come again with another version of the program, and what others have made stays', async () => {
    const { agents, prompts, skills } = world.client('assay');
    await prompts.create({ name: 'ours', body: 'Stay.' });
    await start('1.1.0');
    const { versions, deployments } = await agents.get({ id: 'Assay Agent' });
    expect(versions.map(({ name }) => name.split('-')[0])).toEqual(['1.0.0', '1.0.1', '1.1.0']);
    expect(deployments.dev).toBe(versions[2]?.name);
    expect((await skills.get({ id: 'proving with checks' })).document.description).not.toBe('Ours.');
    expect((await prompts.get({ id: 'ours' })).document.body).toBe('Stay.');
  });

  test('keep no program from starting when they cannot be applied, and come with the next start', async () => {
    const { environments } = world.client('assay');
    const { id } = await environments.update({ id: 'dev', revision: 1, name: 'development', live: false });
    await start('1.2.0');
    expect(reports.splice(0)).toEqual([
      expect.stringMatching(
        /^The objects of this version cannot be applied to the workspace "assay": .*there is no environment "dev"/s,
      ),
    ]);
    await environments.update({ id, revision: 2, name: 'dev', live: false });
    await start('1.2.0');
    expect(reports).toEqual([]);
    const { versions } = await world.client('assay').agents.get({ id: 'Assay Agent' });
    expect(versions.at(-1)?.name).toMatch(/^1\.2\.0-/);
  });
});

/** All tools, of which this one answers each call with an error. */
function refusing(tool: string): OperationTool[] {
  const call = () => Promise.reject(new AssayError('forbidden', 'You may not do this here.'));
  return operationTools().map((each) => (each.name === tool ? { ...each, call } : each));
}

describe('the full suite', () => {
  let world: ProgramWorld;
  beforeAll(async () => {
    world = await programWorld();
    await applyShipped(world.program, { version: '1.0.0', report: () => {} });
    await world.startWorker({ lanes: 20 });
  });
  afterAll(() => world.close());

  const inAssay = { parallel: 20, workspace: 'assay' } as const;

  test('passes with the offline model', async () => {
    const { outcome, results } = await world.run('full', inAssay);
    expect(results.filter((each) => each.outcome !== 'passed')).toEqual([]);
    expect(outcome).toBe('passed');
  });

  test('turns every case that makes something red when all tools refuse', async () => {
    world.offer(operationTools().flatMap(({ name }) => refusing(name).filter((each) => each.name === name)));
    const { results } = await world.run('full', inAssay);
    world.offer(operationTools());
    const passed = results.filter((each) => each.outcome === 'passed').map((each) => each.testCase.name);
    expect(passed.filter((name) => !/^(?:lists|reads) /.test(name))).toEqual([]);
  });

  test('has an agent that works where it is provided to', async () => {
    const { prompts, testCases, testSuites } = world.client();
    await testCases.create({
      name: 'borrowed',
      agent: 'Assay Agent',
      environment: 'dev',
      conversation: { type: 'single', request: 'Create a prompt named "of {{run}}" with body "Hello."' },
      checks: [{ type: 'object_exists', object: 'prompt', name: 'of {{run}}', createdDuring: true }],
    });
    await testSuites.create({ name: 'borrowed', testCaseIds: ['borrowed'] });
    const { outcome, token } = await world.run('borrowed');
    expect(outcome).toBe('passed');
    expect(await prompts.get({ id: `of ${token}` })).toMatchObject({ document: { body: 'Hello.' } });
    await expect(world.client('assay').prompts.get({ id: `of ${token}` })).rejects.toThrow(
      'There is no prompt',
    );
  });

  /** What these say is needed by no other tool, so that no check can tell that they have refused. */
  const neededByNothing = [
    'list-workspaces',
    'get-workspace',
    'get-settings',
    'list-audit-log',
    'list-grants',
  ];
  const tools = operationTools().filter(({ name }) => /^(list|get|create)-/.test(name));

  test.each(tools.map(({ name }) => name))(
    'has a case that turns red without %s, and when it refuses',
    async (tool) => {
      const { testSuites, testCases } = world.client('assay');
      const { testCaseIds } = await testSuites.get({ id: 'full' });
      const cases = await Promise.all(testCaseIds.map((id) => testCases.get({ id })));
      const using = cases.filter(({ document }) => JSON.stringify(document.checks).includes(`"${tool}"`));
      await testSuites.create({ name: `without ${tool}`, testCaseIds: using.map(({ id }) => id) });

      const run = async (offered: readonly OperationTool[]) => {
        world.offer(offered);
        const ended = await world.run(`without ${tool}`, inAssay);
        world.offer(operationTools());
        return ended;
      };
      const { outcome, results } = await run(operationTools().filter(({ name }) => name !== tool));
      expect(outcome).toBe('failed');
      const checks = results.flatMap(({ conversations }) => conversations.flatMap((each) => each.checks));
      expect(checks).toContainEqual(
        expect.objectContaining({ outcome: 'failed', reason: expect.stringContaining(tool) }),
      );
      if (!neededByNothing.includes(tool)) expect((await run(refusing(tool))).outcome).toBe('failed');
    },
  );
});
