// biome-ignore-all lint/suspicious/noTemplateCurlyInString: this is how object files write variables
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type NounWorld, nounWorld, refusalOf } from '../../../test/noun-world.ts';
import { apply } from './apply.ts';
import { exportObjects } from './export.ts';

let world: NounWorld;
beforeAll(async () => {
  world = await nounWorld();
});
afterAll(() => world.close());

const text = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.constantFrom(
        '${X}',
        '$${X}',
        '{{run}}',
        '"',
        "'",
        '\n',
        '\r\n',
        '  ',
        ': ',
        '# ',
        '- ',
        '😀',
        '\u2028',
        'é',
      ),
    ),
    { maxLength: 5 },
  )
  .map((parts) => parts.join('').replaceAll('\0', ''));
const name = text
  .map((raw) => raw.replaceAll(/\p{Cc}/gu, '').trim())
  .filter((trimmed) => trimmed !== '' && trimmed.length <= 50);
const filled = text.filter((raw) => raw.trim() !== '');

/** A workspace full of objects that refer to each other. */
const objects = fc
  .record({
    names: fc.uniqueArray(name, { minLength: 13, maxLength: 13 }),
    texts: fc.array(filled, { minLength: 12, maxLength: 12 }),
    numbers: fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 4, maxLength: 4 }),
    flag: fc.boolean(),
  })
  .map(({ names: n, texts: t, numbers, flag }) => [
    { kind: 'environment', name: n[12], live: flag },
    { kind: 'prompt', name: n[0], body: t[0] },
    { kind: 'skill', name: n[1], description: t[1], body: t[2] },
    {
      kind: 'mcp-server',
      name: n[2],
      transport: { type: 'stdio', command: t[3], args: [t[4], t[5]], env: { TOKEN: { template: '${X}' } } },
      ...(flag ? { profile: 'long', targets: { dev: { mode: 'mock' } } } : { isolation: 'run' }),
    },
    {
      kind: 'agent',
      name: n[3],
      versions: [
        { name: `v ${n[4]}`, status: 'active', model: 'offline', instructions: t[6], prompts: [n[0]] },
        {
          name: `w ${n[5]}`,
          model: `openai:${n[6]}`,
          skills: [n[1]],
          mcpServers: [n[2]],
          ...(flag ? { limits: { modelCalls: numbers[0] } } : {}),
        },
      ],
      deployments: flag ? { dev: `v ${n[4]}` } : {},
    },
    {
      kind: 'test-case',
      name: n[7],
      agent: n[3],
      environment: 'dev',
      conversation: { type: 'single', request: t[7] },
      ...(flag ? { agentVersion: `w ${n[5]}`, repeat: 2, pass: { atLeast: 1 }, expectedResult: t[8] } : {}),
      checks: [
        { type: 'tool_called', tool: n[8] },
        { type: 'object_exists', object: 'prompt', name: n[9], ...(flag ? { createdDuring: true } : {}) },
      ],
    },
    {
      kind: 'test-case',
      name: n[10],
      agent: n[3],
      environment: 'prod',
      conversation: { type: 'golden', turns: [{ user: t[9], expected: t[10] }, { user: t[11] }] },
    },
    { kind: 'test-suite', name: n[11], testCaseIds: [n[10], n[7]] },
  ]);

test('what is exported is applied to the same objects, here and in another workspace', async () => {
  await fc.assert(
    fc.asyncProperty(objects, async (all) => {
      await emptyWorkspaces();
      // texts are given as they are meant, so what looks like a variable is escaped, except in the secret
      const source = JSON.stringify(all).replaceAll(/(\$+)\{X\}/g, (whole) => `$${whole}`);
      const written = source.replace('{"template":"$${X}"}', '"${X}"');
      const run = (file: string, workspace: 'main' | 'assay', variables = {}) =>
        apply(world.context({ workspace }), { files: [{ path: 'f.yaml', text: file }], variables });

      const created = await run(written, 'main', { X: 'secret' });
      expect(created.objects.map(({ action }) => action)).toEqual(all.map(() => 'created'));
      const exported = (await exportObjects(world.context(), {})).text;
      expect(exported).not.toContain('secret');
      const again = await run(exported, 'main');
      expect(again.objects.map(({ action }) => action)).toEqual(
        ['dev', 'prod', ...all].map(() => 'unchanged'),
      );

      await run(exported, 'assay', { X: 'other' });
      expect((await exportObjects(world.context({ workspace: 'assay' }), {})).text).toBe(exported);
      expect((await exportObjects(world.context(), {})).text).toBe(exported);
    }),
    { numRuns: 25 },
  );
}, 120_000);

async function emptyWorkspaces(): Promise<void> {
  const tables = [
    'test_suite_case',
    'test_suite',
    'test_case',
    'deployment',
    'agent_version',
    'agent',
    'mcp_target',
  ] as const;
  for (const table of [...tables, 'mcp_server', 'prompt', 'skill'] as const) {
    await world.database.system.deleteFrom(table).execute();
  }
  await world.database.system.deleteFrom('environment').where('name', 'not in', ['dev', 'prod']).execute();
}

test('defaults are left out, and keys and objects have one order', async () => {
  await emptyWorkspaces();
  await world.apply(
    'kind: test-case\nname: c\nchecks: [{ tool: t, type: tool_called }]\npass: all\nrepeat: 1\nagentVersion: auto\nenvironment: dev\nagent: a\nconversation: { request: hi, type: single }\n---\n' +
      'kind: agent\nname: a\nversions: [{ name: v, status: draft, model: offline, limits: { tokens: 500000, seconds: 10 } }]\n---\n' +
      'kind: prompt\nname: z\nbody: |\n  one\n  two\n---\nkind: prompt\nname: b\nbody: ""\n',
  );
  expect(await world.export()).toBe(
    'kind: environment\nname: dev\n---\nkind: environment\nname: prod\nlive: true\n---\n' +
      'kind: prompt\nname: b\nbody: ""\n---\n' +
      'kind: prompt\nname: z\nbody: |\n  one\n  two\n---\n' +
      'kind: agent\nname: a\nversions:\n  - name: v\n    model: offline\n    limits:\n      seconds: 10\n---\n' +
      'kind: test-case\nname: c\nagent: a\nenvironment: dev\nconversation:\n  type: single\n  request: hi\nchecks:\n  - type: tool_called\n    tool: t\n',
  );
});

test('one kind, one name, or nothing of that name', async () => {
  await world.apply(
    'kind: prompt\nname: same\nbody: p\n---\nkind: skill\nname: same\ndescription: d\nbody: s\n',
  );
  const context = world.context();
  expect((await exportObjects(context, { kind: 'prompt', name: 'same' })).text).toBe(
    'kind: prompt\nname: same\nbody: p\n',
  );
  expect((await exportObjects(context, { name: 'same' })).text).toContain('kind: skill');
  expect((await exportObjects(context, { kind: 'skill' })).text).not.toContain('kind: prompt');
  const { id } = await world.client().prompts.get({ id: 'same' });
  const elsewhere = world.context({ workspace: 'assay' });
  expect((await exportObjects(elsewhere, { kind: 'prompt', name: id })).text).toBe(
    'kind: prompt\nname: same\nbody: p\n',
  );
  for (const nothing of [{ kind: 'skill', name: id }, { name: id }, { name: 'a\0' }] as const) {
    expect(await refusalOf(exportObjects(elsewhere, nothing))).toMatchObject({ code: 'not_found' });
  }
  const refusal = await refusalOf(exportObjects(context, { kind: 'agent', name: 'same' }));
  expect(refusal).toMatchObject({ code: 'not_found', message: 'There is no agent named "same".' });
  expect((await exportObjects(world.context({ workspace: 'assay' }), { kind: 'agent' })).text).toBe('');
});
