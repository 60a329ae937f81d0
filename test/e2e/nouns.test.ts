// biome-ignore-all lint/suspicious/noTemplateCurlyInString: this is how object files write variables
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { verifies } from '../verifies.ts';
import { type Installation, installation, suitesFile } from './installation.ts';

let place: Installation;
let url: string;
let token: string;
beforeAll(async () => {
  place = await installation();
  const server = place.start(['serve', '--port', '0']);
  [, url = ''] = await server.said('stdout', /serves (http:\S+) on/);
  token = (await readFile(join(place.home, 'operator-token'), 'utf8')).trim();
  expect(await place.assay(['apply', '-f', suitesFile])).toMatchObject({ code: 0 });
});
afterAll(() => place.remove());

let written = 0;
async function file(text: string): Promise<string> {
  written += 1;
  const path = join(place.files, `noun-${written}.yaml`);
  await writeFile(path, text);
  return path;
}

async function json(...args: string[]) {
  const ended = await place.assay([...args, '--json']);
  expect(ended).toMatchObject({ code: 0, stderr: '' });
  return JSON.parse(ended.stdout);
}

async function refused(args: string[], said: RegExp, code = 1) {
  const ended = await place.assay(args);
  expect([ended.code, ended.stdout]).toEqual([code, '']);
  expect(ended.stderr).toMatch(said);
  expect(ended.stderr).not.toMatch(/^\s+at /m);
}

interface CliNoun {
  command: string[];
  words: string;
  /** The file of one of this name, without it. */
  rest: string;
  /** What the file says in place of the first. */
  change: [from: string, to: string];
  row: RegExp;
}

const nouns: CliNoun[] = [
  {
    command: ['prompt'],
    words: 'prompt',
    rest: 'body: |\n  Say $${HOME} and # no more:\n  - "this"\n',
    change: ['no more', 'nothing else'],
    row: /^first +\d{4}-\S+Z +ID$/m,
  },
  {
    command: ['skill'],
    words: 'skill',
    rest: 'description: "when: asked"\nbody: b\n',
    change: ['when: asked', 'always'],
    row: /^first +when: asked +ID$/m,
  },
  {
    command: ['environment'],
    words: 'environment',
    rest: 'live: true\n',
    change: ['live: true', 'live: false'],
    row: /^first +live +ID$/m,
  },
  {
    command: ['mcp-server'],
    words: 'MCP server',
    rest: 'transport:\n  type: stdio\n  command: "no-such-program"\n  env:\n    TOKEN: ${TOKEN}\n',
    change: ['profile: standard\n', ''],
    row: /^first +stdio +not known +ID$/m,
  },
  {
    command: ['agent'],
    words: 'agent',
    rest: 'versions:\n  - name: v1\n    model: offline\n    instructions: one\ndeployments: {}\n',
    change: ['instructions: one', 'instructions: two'],
    row: /^first +v1 \(draft\) +ID$/m,
  },
  {
    command: ['test'],
    words: 'test case',
    rest: 'agent: plain\nenvironment: dev\nconversation:\n  type: single\n  request: Hello {{run}}\n',
    change: ['Hello', 'Goodbye'],
    row: /^first +plain +dev +auto +ID$/m,
  },
  {
    command: ['test', 'suite'],
    words: 'test suite',
    rest: 'testCaseIds:\n  - fails\n  - passes\n',
    change: ['  - fails\n', ''],
    row: /^first +2 +ID$/m,
  },
];

describe.each(nouns.map((noun) => [noun.command.join(' '), noun] as const))(
  'assay %s',
  (_, { command, words, rest, change, row }) => {
    const env = { TOKEN: 'secret-of-a-test' };
    const assay = (...args: string[]) => place.assay([...command, ...args], { env });

    test(verifies('creates, lists, shows, replaces under another name, and archives', 'M11'), async () => {
      const created = await assay('create', '-f', await file(`name: first\n${rest}`), '--json');
      expect(created).toMatchObject({ code: 0 });
      const { id, revision } = JSON.parse(created.stdout);
      expect(revision).toBe(1);
      const listed = await assay('list', '--search', 'FIRS');
      expect(listed.stdout.replaceAll(id, 'ID')).toMatch(row);

      const shown = await assay('get', 'first');
      expect(shown.stdout).toMatch(new RegExp(`^id: ${id}\nname: first\n`));
      expect(shown.stdout).not.toContain('secret-of-a-test');
      expect(await assay('get', id)).toEqual(shown);
      const whole = await json(...command, 'get', id);
      expect(whole).toMatchObject({ id, name: 'first', revision: 1, document: { name: 'first' } });

      // what is shown is what a file says, so that it changes nothing
      const same = await assay('update', '-f', await file(shown.stdout));
      expect(same).toMatchObject({ code: 0, stdout: expect.stringContaining('revision 1.') });
      expect((await assay('get', id)).stdout).toBe(shown.stdout);

      const next = shown.stdout.replace('name: first', 'name: second').replace(...change);
      const updated = await assay('update', '-f', await file(`revision: 1\n${next}`));
      expect(updated.stdout).toMatch(
        new RegExp(`^Updated ${words} "second" \\(${id}\\).*, revision 2\\.\n$`),
      );
      await refused(
        [...command, 'update', '-f', await file(`revision: 1\n${next}`)],
        /changed since then: the revision is 2 now, not 1/,
      );
      await refused([...command, 'get', 'first'], new RegExp(`There is no ${words} "first"`));

      const archived = await assay('archive', 'second');
      expect(archived).toMatchObject({ code: 0, stdout: `Archived ${words} "second" (${id}).\n` });
      await refused([...command, 'archive', id], new RegExp(`There is no ${words} "${id}"`));
      expect(await json(...command, 'list', '--search', 'second')).toEqual({ items: [], nextCursor: null });
    });

    test('refuses a file that is wrong, by file and line, and one without an id to update', async () => {
      const path = await file(`name: " "\n${rest}`);
      const refusal = await assay('create', '-f', path);
      expect(refusal).toMatchObject({ code: 1, stdout: '' });
      expect(refusal.stderr).toContain(`${path}:1: name: must not be blank`);
      const bare = await assay('update', '-f', await file(`name: bare\n${rest}`));
      expect(bare).toMatchObject({ code: 1, stderr: expect.stringMatching(/id:? is needed/) });
    });
  },
);

describe('a list', () => {
  beforeAll(async () => {
    const stdin = Array.from(
      { length: 230 },
      (_, index) => `kind: prompt\nname: many ${index + 100}\nbody: b`,
    );
    expect(await place.assay(['apply', '-f', '-'], { stdin: stdin.join('\n---\n') })).toMatchObject({
      code: 0,
    });
  });

  test('has all pages unless it is limited, in the order that is asked for', async () => {
    const all = await json('prompt', 'list', '--search', 'many');
    expect(all.nextCursor).toBeNull();
    const names = all.items.map(({ name }: { name: string }) => name);
    expect(names).toEqual(Array.from({ length: 230 }, (_, index) => `many ${index + 100}`));
    const last = await json('prompt', 'list', '--search', 'many', '--sort', '-name');
    expect(last.items.map(({ name }: { name: string }) => name)).toEqual(names.toReversed());
    const some = await place.assay(['prompt', 'list', '--search', 'many', '--limit', '205', '--json']);
    const { items, nextCursor } = JSON.parse(some.stdout);
    expect([items.length, typeof nextCursor]).toEqual([205, 'string']);
    expect(some.stderr).toBe('There are more than 205: list them with a higher --limit.\n');
    await refused(['prompt', 'list', '--limit', '0'], /--limit.*whole number from 1 on/, 64);
    await refused(['prompt', 'list', '--sort', 'size'], /Allowed choices are name/, 64);
  });

  test('of test cases is narrowed, and refuses what names nothing', async () => {
    const names = async (...args: string[]) =>
      (await json('test', 'list', ...args)).items.map(({ name }: { name: string }) => name);
    expect(await names('--suite', 'red')).toEqual(['fails', 'passes']);
    expect(await names('--agent', 'other')).toEqual(['is answered by another agent']);
    expect(await names('--env', 'prod')).toEqual([]);
    expect(await names('--suite', 'red', '--search', 'FAIL')).toEqual(['fails']);
    await refused(['test', 'list', '--agent', 'ghost'], /There is no agent "ghost"/);
    expect(await json('test', 'suites', '--search', 'red')).toEqual(
      await json('test', 'suite', 'list', '--search', 'red'),
    );
  });
});

describe('over HTTP', () => {
  async function http(method: string, path: string, body?: object) {
    const response = await fetch(`${url}/api${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as Record<string, never> };
  }

  const odd = 'a/b %2F ?x=1&y #z é 😀 ..';

  test('lists take their input from the query, and objects are found by what stands in the address', async () => {
    const created = await http('POST', '/prompts', { name: odd, body: 'b' });
    expect(created).toMatchObject({ status: 200, body: { name: odd, revision: 1 } });
    const address = `/prompts/${encodeURIComponent(odd)}`;
    expect(await http('GET', address)).toEqual(created);
    const query = new URLSearchParams({ search: '%2f ?', sort: '-updatedAt', limit: '1' });
    expect(await http('GET', `/prompts?${query}`)).toMatchObject({
      status: 200,
      body: { items: [{ name: odd }] },
    });
    expect(await http('PUT', address, { name: 'even', body: 'c', revision: 1 })).toMatchObject({
      status: 200,
      body: { name: 'even', revision: 2, document: { body: 'c' } },
    });
    expect(await http('PUT', '/prompts/even', { name: 'even', body: 'd', revision: 1 })).toMatchObject({
      status: 409,
      body: { code: 'conflict', details: [{ field: 'revision', value: 1 }] },
    });
    expect(await http('POST', '/prompts/even/archive')).toMatchObject({
      status: 200,
      body: { name: 'even' },
    });
    expect(await http('GET', '/prompts/even')).toMatchObject({ status: 404, body: { code: 'not_found' } });
  });

  test.each([
    ['/prompts?limit=0', 400, 'limit'],
    ['/prompts?limit=all', 400, 'limit'],
    ['/prompts?sort=size', 400, 'sort'],
    ['/prompts?colour=red', 400, 'colour'],
    ['/prompts?search=a&search=b', 400, 'search'],
    ['/prompts?cursor=abc', 400, 'cursor'],
    ['/test-cases?agent=ghost', 404, 'agent'],
    ['/audit-log?objectId=7', 400, 'objectId'],
  ])('a wrong query is refused, naming the field: %s', async (path, status, field) => {
    expect(await http('GET', path)).toMatchObject({ status, body: { details: [{ field }] } });
  });

  test('the command line finds objects of any name, and says where an address cannot hold it', async () => {
    const created = await http('POST', '/prompts', { name: odd, body: 'b' });
    expect((await json('prompt', 'get', odd)).id).toBe(created.body.id);
    expect((await http('POST', '/prompts', { name: '..', body: 'b' })).status).toBe(400);
    await refused(['prompt', 'get', '..'], /id: cannot be "\.\.": give the id instead/);
    expect((await json('prompt', 'archive', odd)).name).toBe(odd);
    await refused(['prompt', 'get', ''], /id: is needed/);
  });
});

test('without a server the same commands work in their own process', async () => {
  const alone = await installation();
  try {
    const create = ['prompt', 'create', '-f', '-', '--json'];
    const created = await alone.assay(create, { stdin: 'name: alone\nbody: b\n' });
    const { id } = JSON.parse(created.stdout);
    const shown = await alone.assay(['prompt', 'get', 'alone']);
    expect(shown).toMatchObject({ code: 0, stdout: `id: ${id}\nname: alone\nbody: b\n` });
    const update = await alone.assay(['prompt', 'update', '-f', '-'], {
      stdin: shown.stdout.replace('alone', 'together'),
    });
    expect(update.stdout).toBe(`Updated prompt "together" (${id}), revision 2.\n`);
    expect((await alone.assay(['prompt', 'archive', 'together'])).code).toBe(0);
    expect((await alone.assay(['prompt', 'list'])).stdout).toBe('NAME  UPDATED  ID\n');
  } finally {
    await alone.remove();
  }
});

describe('workspaces', () => {
  test('are listed, created and changed, each with what is done in it', async () => {
    const created = await place.assay(['workspace', 'create', 'team', '--time-zone', 'Europe/Berlin']);
    expect(created.stdout).toMatch(/^Created workspace "team" \(\S+\), time zone Europe\/Berlin\.\n$/);
    await refused(['workspace', 'create', 'team'], /There is already a workspace named "team"/);
    expect((await place.assay(['environment', 'list', '--workspace', 'team'])).stdout).toMatch(
      /^dev +\S+\nprod +live +\S+\n$/m,
    );
    const renamed = await place.assay(['workspace', 'update', '--workspace', 'team', '--name', 'crew']);
    expect(renamed.stdout).toMatch(/^Updated workspace "crew" \(\S+\), time zone Europe\/Berlin\.\n$/);
    expect((await place.assay(['workspace', 'list'])).stdout).toMatch(/^crew +admin +Europe\/Berlin +\S+$/m);
    await refused(['workspace', 'update'], /Say what to change/, 64);
    await refused(['workspace', 'update', '--time-zone', 'Mars'], /timeZone.*must be a time zone/);

    const { items } = await json('audit', 'list', '--workspace', 'crew');
    expect(items.map(({ action, objectName }: never) => [action, objectName])).toEqual([
      ['workspace.update', 'crew'],
      ['workspace.create', 'team'],
    ]);
    const listed = await place.assay(['audit', 'list', '--action', 'prompt.archive', '--limit', '1']);
    expect(listed.stdout).toMatch(
      /^AT +WHO +ACTION +OBJECT +ID\n\d{4}-\S+ +operator:local +prompt\.archive /,
    );
    expect(listed.stderr).toMatch(/^There are more than 1/);
  });
});
