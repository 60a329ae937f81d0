import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type NounWorld, nounWorld, refusalOf } from '../../../test/noun-world.ts';
import { verifies } from '../../../test/verifies.ts';
import type { FrozenWork } from '../../core/frozen.ts';
import { localOperator } from '../../core/principal.ts';
import { systemClock, systemRandom } from '../../net/system-ports.ts';
import { type StartContext, type StartRequest, startRun } from './start.ts';

let world: NounWorld;
beforeAll(async () => {
  world = await nounWorld();
  const agent = (name: string, deployments: object) =>
    JSON.stringify({
      kind: 'agent',
      name,
      versions: ['v1', 'v2', 'draft'].map((version) => ({
        name: version,
        status: version === 'draft' ? 'draft' : 'active',
        model: 'offline',
        instructions: `${name} ${version}`,
        prompts: ['tone'],
      })),
      deployments,
    });
  const testCase = (name: string, of: string, more = {}) =>
    JSON.stringify({
      kind: 'test-case',
      name,
      agent: of,
      environment: 'dev',
      conversation: { type: 'single', request: `${name} {{run}}` },
      ...more,
    });
  const suite = (name: string, testCaseIds: string[]) =>
    JSON.stringify({ kind: 'test-suite', name, testCaseIds });
  await world.apply(
    [
      'kind: prompt\nname: tone\nbody: Be brief.',
      agent('bot', { dev: 'v1' }),
      agent('other', {}),
      testCase('plain', 'bot'),
      testCase('pinned', 'bot', { agentVersion: 'v2' }),
      testCase('in prod', 'bot', { environment: 'prod' }),
      testCase('of other', 'other'),
      suite('bots', ['pinned', 'plain']),
      suite('mixed', ['plain', 'of other', 'in prod']),
      suite('empty', []),
    ].join('\n---\n'),
  );
});
afterAll(() => world.close());

const start = (more: Partial<StartRequest> = {}, context: Partial<StartContext> = {}) =>
  startRun(
    { database: world.database, queue: world.queue, clock: systemClock, random: systemRandom, ...context },
    {
      workspaceId: world.context().workspace.id,
      principal: localOperator,
      role: 'admin',
      parent: null,
      testSuiteId: 'bots',
      agentVersionTarget: 'configured',
      parallel: 1,
      ...more,
    },
  );

async function resultsOf(runId: string) {
  return world.database.system
    .selectFrom('test_result')
    .selectAll()
    .where('run_id', '=', runId)
    .orderBy('seq')
    .execute();
}
async function runOf(runId: string) {
  return world.database.system
    .selectFrom('test_run')
    .selectAll()
    .where('id', '=', runId)
    .executeTakeFirstOrThrow();
}
async function answers(runId: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const { case_name, frozen_work } of await resultsOf(runId)) {
    found[case_name] = await answerOf(frozen_work);
  }
  return found;
}
async function answerOf({ subject }: FrozenWork): Promise<string> {
  if ('unresolved' in subject) return subject.unresolved.code;
  const row = await world.database.system
    .selectFrom('frozen_subject')
    .select('body')
    .where('content_hash', '=', subject.contentHash)
    .executeTakeFirstOrThrow();
  return row.body.version.name;
}
async function lanesOf(runId: string): Promise<number> {
  const { rows } = await world.database.systemPool.query(
    `select count(*) from pgboss.job where name = 'lane' and data ->> 'runId' = $1 and data ->> 'workspaceId' = $2`,
    [runId, world.context().workspace.id],
  );
  return rows[0].count;
}

describe('a started run', () => {
  test(
    verifies('has the cases of the suite in its order, queued, with a token and its lanes', 'M1', 'M44'),
    async () => {
      const { runId, replayed } = await start({ parallel: 64 });
      expect(replayed).toBe(false);
      const run = await runOf(runId);
      expect(run).toMatchObject({
        suite_name: 'bots',
        status: 'queued',
        outcome: null,
        parallel: 64,
        total: 2,
        remaining: 2,
        started_by: 'operator:local',
        version_target: { target: 'configured', agentVersionId: null },
      });
      expect(run.token).toMatch(/^[a-z0-9]{6}$/);
      expect((await resultsOf(runId)).map(({ seq, case_name, status }) => [seq, case_name, status])).toEqual([
        [1, 'pinned', 'queued'],
        [2, 'plain', 'queued'],
      ]);
      expect(await lanesOf(runId)).toBe(2);
      expect(await lanesOf((await start()).runId)).toBe(1);
    },
  );

  test('leaves an audit row', async () => {
    const { runId } = await start();
    const entries = await world.database.system
      .selectFrom('audit_entry')
      .selectAll()
      .where('object_id', '=', runId)
      .execute();
    expect(entries).toMatchObject([
      { action: 'test-run.start', principal: 'operator:local', object_name: 'bots' },
    ]);
  });

  test(verifies('takes another token where one is in use', 'M44'), async () => {
    const drawn = ['taken1', 'taken1', 'taken1', 'fresh2'];
    const random = { ...systemRandom, token: () => drawn.shift() as string };
    const first = await start({}, { random });
    const second = await start({}, { random });
    expect((await runOf(first.runId)).token).toBe('taken1');
    expect((await runOf(second.runId)).token).toBe('fresh2');
  });

  test(
    verifies('keeps the cases and the version as they were, whatever is edited afterwards', 'O5', 'M43'),
    async () => {
      const { testCases, testSuites } = world.client();
      const before = await start();
      const frozen = await resultsOf(before.runId);
      const document = {
        name: 'plain',
        agent: 'bot',
        environment: 'dev',
        agentVersion: 'auto',
        conversation: { type: 'single' as const, request: 'something else' },
        repeat: 1,
        pass: 'all' as const,
        checks: [],
      };
      await testCases.update({ id: 'plain', ...document, name: 'renamed' });
      await testSuites.update({ id: 'bots', name: 'bots', testCaseIds: ['renamed'] });
      await world.apply('kind: prompt\nname: tone\nbody: Be loud.');
      expect(await resultsOf(before.runId)).toEqual(frozen);
      expect(frozen[1]?.frozen_work.case).toMatchObject({
        name: 'plain',
        definition: { conversation: { request: 'plain {{run}}' } },
      });
      const after = await start();
      expect((await resultsOf(after.runId)).map(({ case_name }) => case_name)).toEqual(['renamed']);
      await testCases.update({
        id: 'renamed',
        ...document,
        conversation: { type: 'single', request: 'plain {{run}}' },
      });
      await testSuites.update({ id: 'bots', name: 'bots', testCaseIds: ['pinned', 'plain'] });
      await world.apply('kind: prompt\nname: tone\nbody: Be brief.');
    },
  );
});

describe('which version answers', () => {
  test(
    verifies('as configured: pins are kept, the others get what is deployed', 'M14', 'M15', 'M18'),
    async () => {
      expect(await answers((await start()).runId)).toEqual({ plain: 'v1', pinned: 'v2' });
    },
  );

  test(verifies('latest is what is deployed, not the newest, and ignores pins', 'M18', 'M21'), async () => {
    const { runId } = await start({ agentVersionTarget: 'latest' });
    expect(await answers(runId)).toEqual({ plain: 'v1', pinned: 'v1' });
    expect((await runOf(runId)).version_target).toEqual({ target: 'latest', agentVersionId: null });
  });

  test(verifies('a chosen draft answers all cases, by name or id', 'M16', 'M22'), async () => {
    const byName = await start({ agentVersionTarget: 'specific', agentVersionId: 'draft' });
    expect(await answers(byName.runId)).toEqual({ plain: 'draft', pinned: 'draft' });
    const { agentVersionId } = (await runOf(byName.runId)).version_target;
    const byId = await start({ agentVersionTarget: 'specific', agentVersionId: agentVersionId as string });
    expect(await answers(byId.runId)).toEqual({ plain: 'draft', pinned: 'draft' });
  });

  test(
    verifies('a case that nothing answers is an error of its own, and the run starts', 'M23'),
    async () => {
      const { runId } = await start({ testSuiteId: 'mixed' });
      expect(await answers(runId)).toEqual({
        plain: 'v1',
        'of other': 'no_version',
        'in prod': 'no_version',
      });
      const [, ofOther] = await resultsOf(runId);
      expect(JSON.stringify(ofOther?.frozen_work.subject)).toContain(
        '\\"other\\" is deployed in the environment \\"dev\\"',
      );
    },
  );

  test('a chosen draft that names something that is gone is an error of its cases', async () => {
    await world.apply(
      'kind: prompt\nname: passing\nbody: x\n---\nkind: agent\nname: bot\nversions: [{ name: dangling, model: offline, prompts: [passing] }]',
    );
    await world.database.system
      .updateTable('prompt')
      .set({ archived_at: new Date() })
      .where('name', '=', 'passing')
      .execute();
    const { runId } = await start({ agentVersionTarget: 'specific', agentVersionId: 'dangling' });
    expect(await answers(runId)).toEqual({ plain: 'version_incomplete', pinned: 'version_incomplete' });
  });
});

describe('refused, with nothing started', () => {
  const unknown = '01890000-0000-7000-8000-000000000000';
  const cases: [string, Partial<StartRequest>, string, string, string][] = [
    [
      'an unknown suite',
      { testSuiteId: unknown },
      'not_found',
      'testSuiteId',
      `There is no test suite "${unknown}".`,
    ],
    [
      'a suite without cases',
      { testSuiteId: 'empty' },
      'rule_violated',
      'testSuiteId',
      'The test suite "empty" has no test cases.',
    ],
  ];
  test.each(cases)(verifies('%s', 'M12'), async (_, request, code, field, message) => {
    await refused(request, code, field, message);
  });

  test(verifies('an archived suite', 'M12'), async () => {
    await world.apply('kind: test-suite\nname: old\ntestCaseIds: [plain]');
    await world.database.system
      .updateTable('test_suite')
      .set({ archived_at: new Date() })
      .where('name', '=', 'old')
      .execute();
    await refused({ testSuiteId: 'old' }, 'not_found', 'testSuiteId', 'There is no test suite "old".');
  });

  const specific = (agentVersionId: string) => ({ agentVersionTarget: 'specific' as const, agentVersionId });
  test(verifies('an unknown version, and one of another agent', 'M23'), async () => {
    await refused(specific('v9'), 'not_found', 'agentVersionId', 'The agent "bot" has no version "v9".');
    await refused(
      specific(unknown),
      'not_found',
      'agentVersionId',
      `The agent "bot" has no version "${unknown}".`,
    );
    const foreign = await world.database.system
      .selectFrom('agent_version as v')
      .innerJoin('agent as a', 'a.id', 'v.agent_id')
      .select('v.id')
      .where('a.name', '=', 'other')
      .executeTakeFirstOrThrow();
    const message = `The version ${foreign.id} belongs to the agent "other", and the cases test "bot".`;
    await refused(specific(foreign.id), 'rule_violated', 'agentVersionId', message);
  });

  test(verifies('one version for cases of several agents', 'M23'), async () => {
    const message = 'its cases belong to the agents "bot", "other"';
    await refused(
      { ...specific('v1'), testSuiteId: 'mixed' },
      'rule_violated',
      'agentVersionTarget',
      message,
    );
  });

  test('a suite of which a case is archived, instead of running the others alone', async () => {
    const testCase = (name: string) =>
      `kind: test-case\nname: ${name}\nagent: bot\nenvironment: dev\nconversation: { type: single, request: go }`;
    const files = [testCase('stays'), testCase('goes')];
    await world.apply([...files, 'kind: test-suite\nname: two\ntestCaseIds: [stays, goes]'].join('\n---\n'));
    await world.database.system
      .updateTable('test_case')
      .set({ archived_at: new Date() })
      .where('name', '=', 'goes')
      .execute();
    await refused(
      { testSuiteId: 'two' },
      'rule_violated',
      'testSuiteId',
      'The test suite "two" holds test cases that cannot be run, because they are archived or of a kind that this version does not run: "goes". Take them out of the suite, then run it.',
    );
    await world.apply('kind: test-suite\nname: two\ntestCaseIds: [stays]');
    const { runId } = await start({ testSuiteId: 'two' });
    expect((await resultsOf(runId)).map(({ case_name }) => case_name)).toEqual(['stays']);
  });

  test('a suite of another workspace is like one that does not exist', async () => {
    const { id } = await world.database.system
      .selectFrom('test_suite')
      .select('id')
      .where('name', '=', 'bots')
      .executeTakeFirstOrThrow();
    const workspaceId = world.context({ workspace: 'assay' }).workspace.id;
    await refused(
      { testSuiteId: id, workspaceId },
      'not_found',
      'testSuiteId',
      `There is no test suite "${id}".`,
    );
  });

  async function refused(request: Partial<StartRequest>, code: string, field: string, message: string) {
    const before = await world.everything();
    // a key that was claimed is free again, too
    const refusal = await refusalOf(start({ idempotencyKey: 'refused', ...request }));
    expect(refusal).toMatchObject({ code, details: [{ field }] });
    expect(refusal.message).toContain(message);
    expect(await world.everything()).toEqual(before);
  }
});

describe('an idempotency key', () => {
  test('gives the same run again, to the same principal', async () => {
    const first = await start({ idempotencyKey: 'once' });
    expect(await start({ idempotencyKey: 'once' })).toEqual({ runId: first.runId, replayed: true });
    const principal = { kind: 'token' as const, id: 't1', name: 'ci' };
    const other = await start({ idempotencyKey: 'once', principal });
    expect(other).toMatchObject({ replayed: false });
    expect(other.runId).not.toBe(first.runId);
  });

  test('with another request is a conflict', async () => {
    await start({ idempotencyKey: 'another body' });
    const before = await world.everything();
    const refusal = await refusalOf(start({ idempotencyKey: 'another body', parallel: 2 }));
    expect(refusal).toMatchObject({
      code: 'conflict',
      details: [{ field: 'idempotencyKey', value: 'another body' }],
    });
    expect(await world.everything()).toEqual(before);
  });

  test('counts for 24 hours', async () => {
    const at = (hours: number) => ({
      clock: { ...systemClock, now: () => new Date(Date.UTC(2026, 0, 1) + hours * 3_600_000) },
    });
    const first = await start({ idempotencyKey: 'a day' }, at(0));
    expect(await start({ idempotencyKey: 'a day' }, at(23.99))).toEqual({
      runId: first.runId,
      replayed: true,
    });
    expect(await start({ idempotencyKey: 'a day', parallel: 3 }, at(24))).toMatchObject({ replayed: false });
  });

  test('of fifty starts at once starts one run', async () => {
    const all = await Promise.all(
      Array.from({ length: 50 }, () => start({ idempotencyKey: 'fifty', testSuiteId: 'mixed' })),
    );
    expect(new Set(all.map(({ runId }) => runId)).size).toBe(1);
    expect(all.filter(({ replayed }) => !replayed)).toHaveLength(1);
    const runs = await world.database.system
      .selectFrom('test_run')
      .select('id')
      .where('suite_name', '=', 'mixed')
      .execute();
    expect(runs.map(({ id }) => id)).toContain(all[0]?.runId);
    expect(await lanesOf(all[0]?.runId as string)).toBe(1);
  });
});

test('a start does not see half of an apply', async () => {
  const both = (text: string) =>
    `kind: prompt\nname: tone\nbody: "${text}"\n---\nkind: agent\nname: bot\nversions: [{ name: draft, model: offline, instructions: "${text}", prompts: [tone] }]`;
  await world.apply(both('0'));
  const applies = (async () => {
    for (let round = 1; round <= 20; round++) await world.apply(both(String(round)));
  })();
  for (let round = 0; round < 20; round++) {
    const { runId } = await start({ agentVersionTarget: 'specific', agentVersionId: 'draft' });
    const [result] = await resultsOf(runId);
    const subject = result?.frozen_work.subject as { contentHash: string };
    const { body } = await world.database.system
      .selectFrom('frozen_subject')
      .select('body')
      .where('content_hash', '=', subject.contentHash)
      .executeTakeFirstOrThrow();
    expect(body.prompts[0]?.body).toBe(body.instructions);
  }
  await applies;
});

test('ten thousand cases start in about ten times what a thousand take', async () => {
  const { system } = world.database;
  const workspaceId = world.context().workspace.id;
  const template = await system
    .selectFrom('test_case')
    .selectAll()
    .where('name', '=', 'plain')
    .executeTakeFirstOrThrow();

  // just filled, so the database has not counted the tables yet
  async function timeOf(count: number): Promise<number> {
    const suiteId = systemRandom.id();
    const name = `large ${count}`;
    await system.insertInto('test_suite').values({ workspace_id: workspaceId, id: suiteId, name }).execute();
    await world.database.systemPool.query(
      `with cases as (
         insert into test_case (workspace_id, id, name, subject_kind, agent_id, environment_id, definition)
         select $1, gen_random_uuid(), $5 || ' ' || n, 'agent', $2, $3, $4 from generate_series(1, $7::int) n
         returning id)
       insert into test_suite_case (workspace_id, suite_id, position, case_id)
       select $1, $6, row_number() over (), id from cases`,
      [
        workspaceId,
        template.agent_id,
        template.environment_id,
        JSON.stringify(template.definition),
        name,
        suiteId,
        count,
      ],
    );
    const begun = performance.now();
    const { runId } = await start({ testSuiteId: name, parallel: 20 });
    const elapsed = performance.now() - begun;
    expect(await resultsOf(runId)).toHaveLength(count);
    expect(await lanesOf(runId)).toBe(20);
    return elapsed;
  }

  const thousand = await timeOf(1000);
  expect(await timeOf(10_000)).toBeLessThan(40 * thousand);
});
