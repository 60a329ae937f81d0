import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type NounWorld, nounWorld, refusalOf } from '../../../test/noun-world.ts';
import { callsOf, namedByNouns, nouns } from '../../../test/nouns.ts';
import { verifies } from '../../../test/verifies.ts';

let world: NounWorld;
beforeAll(async () => {
  world = await nounWorld();
  await world.apply(namedByNouns);
});
afterAll(() => world.close());

const auditOf = async (id: string) =>
  (
    await world.database.system
      .selectFrom('audit_entry')
      .select('action')
      .where('object_id', '=', id)
      .orderBy('id')
      .execute()
  ).map(({ action }) => action);

describe.each(nouns.map((noun) => [noun.words, noun] as const))('%s', (words, noun) => {
  test('that is archived is in no list, no export and no lookup, and its name is free', async () => {
    const { create, get, update, archive, list } = callsOf(world.client(), noun);
    const { id } = await create(noun.document('gone', 1));
    expect(await archive({ id: 'gone' })).toEqual({ id, name: 'gone' });
    expect((await list({ search: 'gone' })).items).toEqual([]);
    expect(await world.export()).not.toContain('gone');
    for (const reference of [id, 'gone']) {
      for (const attempt of [get, update, archive]) {
        const work = attempt({
          ...(attempt === update ? noun.document('gone') : {}),
          id: reference,
        } as never);
        expect(await refusalOf(work)).toMatchObject({
          code: 'not_found',
          message: `There is no ${words} "${reference}".`,
        });
      }
    }
    expect(await auditOf(id)).toEqual([`${noun.kind}.create`, `${noun.kind}.archive`]);
    const again = await create(noun.document('gone'));
    expect(again.id).not.toBe(id);
    expect(await get({ id: 'gone' })).toEqual({ warnings: [], ...again });
    await archive({ id: again.id });
  });
});

describe('a prompt or a skill', () => {
  const draft = (agent: string, more: object) =>
    JSON.stringify({ kind: 'agent', name: agent, versions: [{ name: 'v1', model: 'offline', ...more }] });

  test('that drafts name is kept, with a sentence that names agent and version', async () => {
    const { prompts, skills, agents } = world.client();
    await prompts.create({ name: 'needed', body: 'b' });
    await skills.create({ name: 'needed', description: 'd', body: 'b' });
    // the text of a name is not the name
    await world.apply(draft('talker', { instructions: 'needed, "needed"', prompts: ['needed'] }));
    await agents.create({
      name: 'mute',
      versions: [{ name: 'v1', model: 'offline', instructions: 'say "needed"\0 and more' }],
    });
    const refusal = await refusalOf(prompts.archive({ id: 'needed' }));
    expect(refusal).toMatchObject({
      code: 'rule_violated',
      message:
        'The prompt "needed" cannot be archived: the draft version "v1" of the agent "talker" names it.',
      details: [{ field: 'id', value: 'needed' }],
    });
    expect(await skills.archive({ id: 'needed' })).toMatchObject({ name: 'needed' });
    expect(await prompts.get({ id: 'needed' })).toMatchObject({ revision: 1 });

    const { document } = await agents.get({ id: 'talker' });
    const versions = document.versions.map((version) => ({ ...version, prompts: [] }));
    await agents.update({ id: 'talker', ...document, versions });
    expect(await prompts.archive({ id: 'needed' })).toMatchObject({ name: 'needed' });
  });

  test('of many drafts is refused with a sentence that ends', async () => {
    const { skills } = world.client();
    await skills.create({ name: 'popular', description: 'd', body: 'b' });
    const agents = Array.from({ length: 8 }, (_, index) => draft(`fan ${index}`, { skills: ['popular'] }));
    await world.apply(agents.join('\n---\n'));
    const refusal = await refusalOf(skills.archive({ id: 'popular' }));
    expect(refusal.message).toContain('agent "fan 4" names it; and 3 more.');
    expect(refusal.details).toHaveLength(8);
  });

  test('that only active versions name can go: they keep what they were frozen with', async () => {
    const { prompts } = world.client();
    await prompts.create({ name: 'frozen', body: 'as it was' });
    await world.apply(draft('statue', { status: 'active', prompts: ['frozen'] }));
    await prompts.archive({ id: 'frozen' });
    const { frozen } = await world.database.system
      .selectFrom('agent_version as v')
      .innerJoin('agent as a', 'a.id', 'v.agent_id')
      .select('v.frozen')
      .where('a.name', '=', 'statue')
      .executeTakeFirstOrThrow();
    expect(frozen).toMatchObject({ prompts: [{ name: 'frozen', body: 'as it was' }] });
  });
});

describe('a test case', () => {
  const testCase = (name: string) => ({
    name,
    agent: 'bot',
    environment: 'dev',
    conversation: { type: 'single' as const, request: 'hi' },
    checks: [{ type: 'object_absent' as const, object: 'agent' as const, name: 'ghost' }],
  });

  test(verifies('leaves its suites, which close up, and old results keep it', 'O5', 'M6'), async () => {
    const { testCases, testSuites, testRuns } = world.client();
    const [first, second, third] = [
      await testCases.create(testCase('first')),
      await testCases.create(testCase('second')),
      await testCases.create(testCase('third')),
    ];
    const suite = await testSuites.create({ name: 'three', testCaseIds: ['first', 'second', 'third'] });
    const only = await testSuites.create({ name: 'one', testCaseIds: ['second'] });
    const other = await testSuites.create({ name: 'others', testCaseIds: ['first'] });
    const before = await testRuns.start({ testSuiteId: suite.id });
    await testCases.archive({ id: second.id });

    expect(await testSuites.get({ id: suite.id })).toMatchObject({
      revision: 2,
      testCaseIds: [first.id, third.id],
      document: { testCaseIds: ['first', 'third'] },
    });
    const positions = await world.database.system
      .selectFrom('test_suite_case')
      .select(['position', 'case_id'])
      .where('suite_id', '=', suite.id)
      .orderBy('position')
      .execute();
    expect(positions).toEqual([
      { position: 1, case_id: first.id },
      { position: 2, case_id: third.id },
    ]);
    expect(await testSuites.get({ id: only.id })).toMatchObject({ revision: 2, testCaseIds: [] });
    expect(await testSuites.get({ id: other.id })).toMatchObject({ revision: 1 });
    expect(await auditOf(suite.id)).toEqual(['test-suite.create', 'test-suite.update']);
    expect(await auditOf(other.id)).toEqual(['test-suite.create']);
    const stale = testSuites.update({ id: suite.id, revision: 1, name: 'three', testCaseIds: [] });
    expect((await refusalOf(stale)).code).toBe('conflict');

    // what runs still has it, and the next run has not
    const running = await testRuns.get({ testRunId: before.id });
    expect(running.results.map((result) => result.testCase)).toEqual([
      { id: first.id, name: 'first' },
      { id: second.id, name: 'second' },
      { id: third.id, name: 'third' },
    ]);
    const after = await testRuns.start({ testSuiteId: suite.id });
    expect(after.totals.tests).toBe(2);
    expect(await refusalOf(testRuns.start({ testSuiteId: only.id }))).toMatchObject({
      code: 'rule_violated',
      message: 'The test suite "one" has no test cases. Add some, then run it.',
    });
  });

  test('of a suite that has runs is archived with it: its runs stay readable', async () => {
    const { testCases, testSuites, testRuns } = world.client();
    const { id: caseId } = await testCases.create(testCase('short-lived'));
    const suite = await testSuites.create({ name: 'short-lived', testCaseIds: [caseId] });
    const run = await testRuns.start({ testSuiteId: suite.id });
    await testSuites.archive({ id: suite.id });
    await testCases.archive({ id: caseId });
    expect(await testRuns.get({ testRunId: run.id })).toMatchObject({
      suite: { id: suite.id, name: 'short-lived' },
      results: [{ testCase: { id: caseId, name: 'short-lived' } }],
    });
    expect((await testRuns.list({})).items).toContainEqual(expect.objectContaining({ id: run.id }));
    expect(await auditOf(suite.id)).toEqual(['test-suite.create', 'test-suite.archive']);
    expect(await refusalOf(testRuns.start({ testSuiteId: suite.id }))).toMatchObject({ code: 'not_found' });
  });
});
