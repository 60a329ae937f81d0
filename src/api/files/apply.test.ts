// biome-ignore-all lint/suspicious/noTemplateCurlyInString: this is how object files write variables
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type NounWorld, nounWorld, refusalOf } from '../../../test/noun-world.ts';
import { toolBench } from '../../../test/tool-bench.ts';
import { apply } from './apply.ts';

let world: NounWorld;
beforeAll(async () => {
  world = await nounWorld();
});
afterAll(() => world.close());

const prompt = (name: string, body = 'x') => `kind: prompt\nname: ${name}\nbody: ${body}\n`;

describe('create, update, unchanged', () => {
  test('are said for each object in the order of the file', async () => {
    const first = await world.apply(`${prompt('one')}---\n${prompt('two')}`);
    expect(first.objects).toMatchObject([
      { kind: 'prompt', name: 'one', action: 'created' },
      { kind: 'prompt', name: 'two', action: 'created' },
    ]);
    const second = await world.apply(
      `${prompt('two', 'changed')}---\n${prompt('one')}---\n${prompt('three')}`,
    );
    expect(second.objects.map(({ name, action }) => [name, action])).toEqual([
      ['two', 'updated'],
      ['one', 'unchanged'],
      ['three', 'created'],
    ]);
    expect(second.objects[1]?.id).toBe(first.objects[0]?.id);
  });

  test('what is unchanged is not written, and leaves no audit row', async () => {
    await world.apply(`${prompt('still')}---\nkind: skill\nname: still\ndescription: d\nbody: b`);
    const before = await world.everything();
    expect(
      await world.actions(`${prompt('still')}---\nkind: skill\nname: still\ndescription: d\nbody: b`),
    ).toEqual(['unchanged', 'unchanged']);
    expect(await world.everything()).toEqual(before);
  });

  test('every change counts the revision and leaves an audit row that says who did what', async () => {
    await world.apply(prompt('audited'));
    const { objects } = await world.apply(prompt('audited', 'other'));
    const id = objects[0]?.id as string;
    const { system } = world.database;
    const row = await system.selectFrom('prompt').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
    expect(row).toMatchObject({ revision: 2, body: 'other' });
    const entries = await system
      .selectFrom('audit_entry')
      .selectAll()
      .where('object_id', '=', id)
      .orderBy('at')
      .execute();
    expect(entries.map(({ action, principal, object_name }) => [action, principal, object_name])).toEqual([
      ['prompt.create', 'operator:local', 'audited'],
      ['prompt.update', 'operator:local', 'audited'],
    ]);
  });

  test('the same file by many at once makes each object once', async () => {
    const text = Array.from({ length: 10 }, (_, index) => prompt(`raced ${index}`)).join('---\n');
    const all = await Promise.all(Array.from({ length: 10 }, () => world.actions(text)));
    expect(all.flat().filter((action) => action === 'created')).toHaveLength(10);
    expect(all.flat().filter((action) => action === 'unchanged')).toHaveLength(90);
  });
});

describe('all or nothing', () => {
  test('one wrong object, and none is saved', async () => {
    const before = await world.everything();
    const text = `${prompt('good one')}---\nkind: agent\nname: bad\nversions: [{ name: v1, model: offline, prompts: [nope] }]`;
    const refusal = await refusalOf(world.apply(text));
    expect(refusal.message).toContain(
      'f.yaml:7: versions[0].prompts[0]: there is no prompt "nope"; the closest is',
    );
    expect(refusal.details).toMatchObject([
      { file: 'f.yaml', line: 7, field: 'versions[0].prompts[0]', value: 'nope' },
    ]);
    expect(await world.everything()).toEqual(before);
  });

  test('everything that is wrong is named at once, with file, line, field and value', async () => {
    const refusal = await refusalOf(
      apply(world.context(), {
        files: [
          {
            path: 'a.yaml',
            text: 'kind: prompt\nname: ""\nbody: 5\n---\nkind: nothing\n---\nkind: skill\nname: s\n',
          },
          { path: 'b.yaml', text: 'kind: prompt\nname: ${UNSET}\nbody: x\n' },
          { path: 'c.yaml', text: 'kind: agent\nname: a\nversions: [{ name: v, model: gpt }]\nextra: 1\n' },
          { path: 'd.yaml', text: 'a: [' },
        ],
        variables: {},
      }),
    );
    expect(refusal.code).toBe('invalid_input');
    expect(refusal.details.map(({ file, line, field }) => `${file}:${line} ${field}`)).toEqual([
      'a.yaml:5 kind',
      'b.yaml:2 name',
      'd.yaml:1 undefined',
      'a.yaml:2 name',
      'a.yaml:3 body',
      'a.yaml:7 description',
      'a.yaml:7 body',
      'c.yaml:3 versions[0].model',
      'c.yaml:4 extra',
    ]);
    expect(refusal.message).toContain(
      '9 things are wrong, and nothing was saved:\na.yaml:5: kind: must be one of',
    );
    expect(refusal.message).toContain('a.yaml:3: body: must be text (it is 5)');
  });

  test('a name that is refused is not also reported as missing by those who name it', async () => {
    const text =
      'kind: test-suite\nname: s\ntestCaseIds: [c]\n---\n' +
      'kind: test-case\nname: c\nagent: a\nenvironment: dev\nconversation: { type: single, request: hi }\n---\n' +
      'kind: agent\nname: a\nversions: [{ name: v1, status: active, model: offline, skills: [no such skill] }]\ndeployments: { dev: v1 }\n';
    const refusal = await refusalOf(world.apply(text));
    expect(refusal.details.map(({ field }) => field)).toEqual(['versions[0].skills[0]']);
  });

  test('one name twice is refused, naming both places', async () => {
    const refusal = await refusalOf(world.apply(`${prompt('twice')}---\n${prompt('twice')}`));
    expect(refusal.message).toBe('f.yaml:6: name: is the name of the prompt at f.yaml:2 too: "twice"');
  });

  test('files without any object are refused', async () => {
    expect((await refusalOf(world.apply('# nothing here'))).message).toContain('no object in f.yaml');
  });

  test('names of the language are names like any other', async () => {
    const text =
      `${prompt('constructor')}---\n${prompt('toString')}---\n${prompt('__proto__')}---\n` +
      'kind: agent\nname: hasOwnProperty\nversions: [{ name: constructor, status: active, model: offline, prompts: [__proto__, toString] }]\ndeployments: { dev: constructor }';
    expect(await world.actions(text)).toEqual(['created', 'created', 'created', 'created']);
    expect(await world.actions(await world.export())).not.toContain('updated');
  });
});

describe('the objects of a file refer to each other', () => {
  test('in any order, by name or id', async () => {
    const { objects } = await world.apply(prompt('by id'));
    const promptId = objects[0]?.id;
    const text =
      'kind: test-suite\nname: ordered\ntestCaseIds: [b case, a case]\n---\n' +
      'kind: test-case\nname: a case\nagent: late\nenvironment: dev\nagentVersion: v1\nconversation: { type: single, request: hi }\n---\n' +
      'kind: test-case\nname: b case\nagent: late\nenvironment: dev\nconversation: { type: single, request: hi }\n---\n' +
      `kind: agent\nname: late\nversions: [{ name: v1, model: offline, prompts: [${promptId}, later], skills: [s of late] }]\n---\n` +
      'kind: skill\nname: s of late\ndescription: d\nbody: b\n---\n' +
      prompt('later');
    expect(await world.actions(text)).toEqual(Array(6).fill('created'));
    expect(await world.actions(text)).toEqual(Array(6).fill('unchanged'));
    const version = await world.database.system
      .selectFrom('agent_version as v')
      .innerJoin('agent as a', 'a.id', 'v.agent_id')
      .select('v.definition')
      .where('a.name', '=', 'late')
      .executeTakeFirstOrThrow();
    expect(version.definition.prompts).toEqual(['by id', 'later']);
  });
});

describe('the example of third-party servers', () => {
  let folder: string;
  const example = readFileSync(path.join(import.meta.dirname, '../../../examples/files.yaml'), 'utf8');
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'assay-files-'));
    await writeFile(path.join(folder, 'a.txt'), 'alpha');
    await mkdir(path.join(folder, 'notes'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  test('applies with its tools, once; then neither it nor its export changes anything', async () => {
    const { tools } = toolBench();
    const context = world.context({ tools });
    const run = (text: string) =>
      apply(context, { files: [{ path: 'f.yaml', text }], variables: { FILES_DIR: folder } });
    const first = await run(example);
    expect(first.warnings).toEqual([]);
    expect(first.objects.map(({ kind, action }) => [kind, action])).toEqual([
      ['mcp-server', 'created'],
      ['agent', 'created'],
      ['test-case', 'created'],
      ['test-case', 'created'],
      ['test-case', 'created'],
      ['test-suite', 'created'],
    ]);
    const server = await world.database.system
      .selectFrom('mcp_server')
      .selectAll()
      .where('name', '=', 'files')
      .executeTakeFirstOrThrow();
    expect(server.tools?.map((each) => each.tool)).toContain('list_directory');

    const before = await world.everything();
    expect((await run(example)).objects.map(({ action }) => action)).toEqual(Array(6).fill('unchanged'));
    const exported = await run(await world.export());
    expect(new Set(exported.objects.map(({ action }) => action))).toEqual(new Set(['unchanged']));
    expect(await world.everything()).toEqual(before);
    await tools.close();
  });
});
