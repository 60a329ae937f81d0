// biome-ignore-all lint/suspicious/noTemplateCurlyInString: this is how object files write variables
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { verifies } from '../verifies.ts';
import { type Installation, installation, suitesFile } from './installation.ts';

let place: Installation;
beforeAll(async () => {
  place = await installation();
  await place.start(['serve', '--port', '0']).said('stdout', /serves/);
  expect(await place.assay(['apply', '-f', suitesFile])).toMatchObject({ code: 0 });
});
afterAll(() => place.remove());

let written = 0;
async function file(text: string): Promise<string> {
  written += 1;
  const path = join(place.files, `file-${written}.yaml`);
  await writeFile(path, text);
  return path;
}
const json = async (args: string[]) => {
  const ended = await place.assay([...args, '--json']);
  expect(ended).toMatchObject({ code: 0, stderr: '' });
  return JSON.parse(ended.stdout);
};
const everything = async () => (await place.assay(['export'])).stdout;

/** The command is refused with this message and exit code 1. */
async function refused(args: string[], said: RegExp) {
  const ended = await place.assay(args);
  expect(ended.stderr).toMatch(said);
  expect(ended.stderr).not.toMatch(/^\s+at /m);
  expect([ended.code, ended.stdout]).toEqual([1, '']);
}

/** Whatever the tests of a group are refused, nothing of it is stored. */
function storesNothing() {
  let before: string;
  beforeAll(async () => {
    before = await everything();
  });
  afterAll(async () => expect(await everything()).toBe(before));
}

describe('suites', () => {
  test(verifies('are listed, created and updated from files', 'M9', 'M11'), async () => {
    const created = await json([
      'test',
      'suite',
      'create',
      '-f',
      await file('name: mine\ntestCaseIds: [fails, passes]'),
    ]);
    expect(created).toMatchObject({ name: 'mine', revision: 1 });
    const listed = await json(['test', 'suites']);
    expect(listed.items).toContainEqual(
      expect.objectContaining({ id: created.id, name: 'mine', testCases: 2 }),
    );
    expect((await place.assay(['test', 'suites'])).stdout).toMatch(
      new RegExp(`^mine +2 +${created.id}$`, 'm'),
    );

    const path = await file(`id: ${created.id}\nname: renamed\ntestCaseIds:\n  - ${created.testCaseIds[1]}`);
    const updated = await place.assay(['test', 'suite', 'update', '-f', path]);
    expect(updated.stdout).toContain(
      `Updated test suite "renamed" (${created.id}) with 1 test cases, revision 2.`,
    );
  });

  describe('in wrong files', () => {
    storesNothing();
    test.each([
      ['create', 'name: "  "\ntestCaseIds: [passes]', /name.*must not be blank/],
      ['create', 'name: x', /testCaseIds.*is needed/],
      ['create', 'name: x\ntestCaseIds: passes', /testCaseIds.*must be a list/],
      ['create', 'name: x\ntestCaseIds: [passes, ghost]', /testCaseIds\[1\].*ghost/],
      ['create', 'name: x\ntestCaseIds: [passes, passes]', /testCaseIds\[1\].*passes/],
      ['create', 'name: green\ntestCaseIds: [passes]', /already a test suite named "green"/],
      ['create', 'name: x\ntestCaseIds: [passes]\ncolour: red', /colour.*not a known field/],
      ['update', 'name: x\ntestCaseIds: [passes]', /id.*is needed/],
      ['update', 'id: ghost\nname: x\ntestCaseIds: [passes]', /ghost/],
    ])(verifies('are refused where the file is wrong: %s %j', 'M12'), async (verb, text, said) => {
      await refused(['test', 'suite', verb, '-f', await file(text)], said);
    });

    test(verifies('in malformed YAML are refused with file and line', 'M12'), async () => {
      const path = await file('name: x\ntestCaseIds: [passes\nmore: 1');
      await refused(['test', 'suite', 'create', '-f', path], new RegExp(`${path}:\\d+`));
    });
  });

  test(verifies('that are unknown or empty do not run', 'M12'), async () => {
    for (const [suite, said] of [
      ['ghost', 'There is no test suite "ghost"'],
      ['empty', 'The test suite "empty" has no test cases'],
    ] as const) {
      const ended = await place.assay(['test', 'run', '--suite', suite, '--wait']);
      expect(ended).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(said) });
    }
  });
});

describe('the version that answers', () => {
  const run = (suite: string, version: string) =>
    place.assay(['test', 'run', '--suite', suite, '--agent-version', version, '--wait']);

  test.each([
    ['green', 'v9', /v9/],
    ['green', '01980000-0000-7000-8000-000000000000', /01980000-0000-7000-8000-000000000000/],
    ['two agents', 'v1', /agents? .*(plain|other)/],
  ])(verifies('cannot be: %s by %s', 'M23', 'M19'), async (suite, version, said) => {
    const ended = await run(suite, version);
    expect(ended).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(said) });
  });

  test(
    verifies('may be a draft, by name or id, and is named in the result', 'M22', 'M18', 'M16'),
    async () => {
      const { items } = await json(['agent', 'list']);
      const plain = items.find(({ name }: { name: string }) => name === 'plain');
      const draft = plain.versions.find(({ status }: { status: string }) => status === 'draft');
      for (const version of ['v2', draft.id]) {
        const ended = await place.assay([
          'test',
          'run',
          '--suite',
          'green',
          '--agent-version',
          version,
          '--wait',
          '--json',
        ]);
        expect(ended.code).toBe(0);
        expect(JSON.parse(ended.stdout).results[0].conversations).toMatchObject([
          { agentVersion: 'v2', agentVersionId: draft.id },
        ]);
      }
    },
  );
});

describe('test cases', () => {
  const text =
    'name: "${CASE}"\nagent: plain\nenvironment: dev\nconversation: { type: single, request: Hello }\nchecks: [{ type: object_absent, object: agent, name: ghost }]\n';

  test('are created, shown, updated and listed, with variables filled in', async () => {
    const created = await place.assay(['test', 'create', '-f', await file(text), '--json'], {
      env: { CASE: 'new' },
    });
    const { id } = JSON.parse(created.stdout);
    const shown = await place.assay(['test', 'get', 'new']);
    expect(shown.stdout).toContain(`id: ${id}\nname: new\nagent: plain\n`);
    const changed = await file(shown.stdout.replace('request: Hello', 'request: Goodbye'));
    expect(await place.assay(['test', 'update', '-f', changed])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('revision 2'),
    });
    expect((await json(['test', 'get', id])).document.conversation.request).toBe('Goodbye');
    expect((await place.assay(['test', 'list'])).stdout).toMatch(
      new RegExp(`^new +plain +dev +auto +${id}$`, 'm'),
    );
  });

  test('are refused where a variable is not set, by file and line', async () => {
    const path = await file(`# a comment\n${text}`);
    await refused(['test', 'create', '-f', path], new RegExp(`${path}:2.*CASE`));
  });
});

describe('apply', () => {
  test('takes a folder, and standard input', async () => {
    const folder = join(place.files, 'objects');
    await mkdir(join(folder, 'deeper'), { recursive: true });
    await writeFile(join(folder, 'b.yaml'), 'kind: prompt\nname: from b\nbody: x');
    await writeFile(
      join(folder, 'deeper', 'c.json'),
      '{"kind":"skill","name":"from c","description":"d","body":"x"}',
    );
    await writeFile(join(folder, 'notes.txt'), 'kind: nothing');
    const applied = await json(['apply', '-f', folder]);
    expect(applied.objects.map(({ name, action }: never) => [name, action])).toEqual([
      ['from b', 'created'],
      ['from c', 'created'],
    ]);
    const piped = await place.assay(['apply', '-f', '-'], { stdin: 'kind: prompt\nname: from b\nbody: y' });
    expect(piped.stdout).toMatch(/updated +prompt +from b/);
  });

  test('of an export changes nothing', async () => {
    const stdin = await everything();
    const again = await place.assay(['apply', '-f', '-', '--json'], { stdin });
    expect(again.stderr).toBe('');
    const { objects } = JSON.parse(again.stdout);
    expect(objects.length).toBeGreaterThan(10);
    expect(objects.filter(({ action }: { action: string }) => action !== 'unchanged')).toEqual([]);
    expect((await place.assay(['export', 'prompt', 'from b'])).stdout).toBe(
      'kind: prompt\nname: from b\nbody: y\n',
    );
  });

  test('works in the workspace that is named', async () => {
    const stdin = 'kind: prompt\nname: elsewhere\nbody: x';
    for (const options of [{ args: ['--workspace', 'assay'] }, { env: { ASSAY_WORKSPACE: 'assay' } }]) {
      const { args = [], env = {} } = options as { args?: string[]; env?: NodeJS.ProcessEnv };
      expect(await place.assay(['apply', '-f', '-', ...args], { stdin, env })).toMatchObject({ code: 0 });
    }
    expect((await place.assay(['export', 'prompt', '--workspace', 'assay'])).stdout).toContain('elsewhere');
    expect((await place.assay(['export', 'prompt'])).stdout).not.toContain('elsewhere');
    expect(await place.assay(['test', 'suites', '--workspace', 'nowhere'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('There is no workspace "nowhere"'),
    });
  });

  describe('of wrong files', () => {
    storesNothing();
    test.each([
      ['kind: potato\nname: x', /:1.*kind.*potato/],
      ['kind: prompt\nname: x\nbody: "${UNSET}"', /:3.*UNSET/],
      ['kind: prompt\nname: good\nbody: x\n---\nkind: prompt\nname: bad', /:5.*body.*is needed/],
      ['kind: prompt\n  name: x', /:1.*YAML/],
    ])('refuses all of a file that is wrong in one place, by file and line: %j', async (text, said) => {
      await refused(['apply', '-f', await file(text)], said);
    });
  });
});
