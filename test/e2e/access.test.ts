import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Installation, installation, type RunOptions } from './installation.ts';

let place: Installation;
/** Another machine, so to speak: a data directory and settings of its own. */
let laptop: Installation;
beforeAll(async () => {
  [place, laptop] = await Promise.all([installation(), installation()]);
}, 180_000);
afterAll(() => Promise.all([place.remove(), laptop.remove()]));

async function json(on: Installation, args: string[], options?: RunOptions) {
  const { code, stdout, stderr } = await on.assay([...args, '--json'], options);
  expect(stderr).not.toMatch(/^assay: /m);
  expect(code).toBe(0);
  return JSON.parse(stdout);
}

test('tokens are made, listed and revoked without a server', async () => {
  const made = await json(place, ['token', 'create', '--name', 'ci', '--role', 'editor']);
  expect(made).toMatchObject({
    name: 'ci',
    role: 'editor',
    owner: { name: 'local operator' },
    expiresAt: null,
  });
  const plain = await place.assay(['token', 'create', '--name', 'trial', '--expires-in-days', '7']);
  expect(plain).toMatchObject({ code: 0, stdout: expect.stringMatching(/^assay_[A-Za-z]{64}\n$/) });
  const { items } = await json(place, ['token', 'list']);
  expect(items.map(({ name, role }: { name: string; role: string }) => [name, role])).toEqual([
    ['trial', 'viewer'],
    ['ci', 'editor'],
  ]);
  expect(JSON.stringify(items)).not.toContain(made.token);
  expect(await json(place, ['token', 'revoke', 'trial'])).toMatchObject({ name: 'trial' });
  expect(await json(place, ['token', 'revoke', made.id])).toEqual({ id: made.id, name: 'ci' });
  expect((await json(place, ['token', 'list'])).items).toEqual([]);
  expect(await place.assay(['token', 'revoke', 'ci'])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('There is no token "ci"'),
  });
  expect(await place.assay(['token', 'create', '--name', 'x', '--role', 'owner'])).toMatchObject({
    code: 64,
  });
  expect(await place.assay(['token', 'create'])).toMatchObject({ code: 64 });
});

test('members are added, changed and removed without a server', async () => {
  const added = await json(place, ['member', 'add', 'Ada@assay.example', '--name', 'Ada', '--role', 'admin']);
  expect(added).toMatchObject({ email: 'ada@assay.example', role: 'admin' });
  expect(added.link).toMatch(/^http:\/\/127\.0\.0\.1:4710\/join\?token=[\w-]{43}$/);
  await json(place, ['member', 'add', 'bob@assay.example', '--name', 'Bob', '--role', 'viewer']);
  expect(await place.assay(['member', 'list'])).toMatchObject({
    stdout: expect.stringMatching(/Ada +ada@assay\.example +admin[\s\S]*Bob +bob@assay\.example +viewer/),
  });
  const last = await place.assay(['member', 'set-role', 'ada@assay.example', 'viewer']);
  expect(last).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('is the last admin of the workspace "main"'),
  });
  expect(await json(place, ['member', 'set-role', 'BOB@assay.example', 'editor'])).toMatchObject({
    role: 'editor',
  });
  expect(await place.assay(['member', 'set-role', 'bob@assay.example', 'owner'])).toMatchObject({ code: 1 });
  await json(place, ['member', 'remove', 'bob@assay.example']);
  expect(await place.assay(['member', 'remove', 'bob@assay.example'])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('There is no member "bob@assay.example"'),
  });
  const nameless = await place.assay(['member', 'add', 'eve@assay.example', '--role', 'viewer']);
  expect(nameless).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('name: is needed for somebody who has no account yet'),
  });
});

describe('a login', () => {
  let url = '';
  let token = '';
  const file = () => join(laptop.home, 'config', 'assay', 'login.json');
  const suites = (env: NodeJS.ProcessEnv = {}) => laptop.assay(['test', 'suites'], { env });

  beforeAll(async () => {
    const server = place.start(['serve', '--port', '0']);
    [, url = ''] = await server.said('stdout', /serves (http:\S+) on/);
    token = (
      await json(place, ['token', 'create', '--name', 'laptop', '--role', 'editor', '--workspace', 'assay'])
    ).token;
    const stdin = 'kind: prompt\nname: only there\nbody: x';
    expect((await place.assay(['apply', '-f', '-', '--workspace', 'assay'], { stdin })).code).toBe(0);
  }, 180_000);

  const prompts = async (env: NodeJS.ProcessEnv = {}) =>
    (await laptop.assay(['export', 'prompt'], { env })).stdout.includes('only there');

  test('is kept when its token is right, for its owner alone, and commands go to its server and workspace', async () => {
    expect(await prompts()).toBe(false);
    const kept = await laptop.assay(['login', '--url', url, '--token', '-'], { stdin: `${token}\n` });
    expect(kept).toMatchObject({ code: 0, stderr: '' });
    expect(kept.stdout).toContain(`Commands go to ${url} now, as laptop: editor in "assay".`);
    expect((await stat(file())).mode & 0o777).toBe(0o600);
    expect(JSON.parse(await readFile(file(), 'utf8'))).toEqual({ url, token });
    expect(await prompts()).toBe(true);
    expect(await laptop.assay(['token', 'create', '--name', 'x', '--role', 'admin'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('can be editor at most'),
    });
  });

  test('comes after ASSAY_URL and after a server on the data directory', async () => {
    expect(await suites({ ASSAY_URL: 'http://127.0.0.1:1', ASSAY_TOKEN: 'x' })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('http://127.0.0.1:1 does not answer'),
    });
    const own = laptop.start(['serve', '--port', '0']);
    await own.said('stdout', /serves/);
    expect(await prompts()).toBe(false);
    own.process.kill('SIGTERM');
    await own.ended;
    expect(await prompts()).toBe(true);
    expect((await laptop.assay(['--help'])).stdout).toMatch(
      /ASSAY_URL[\s\S]*data directory[\s\S]*assay login/,
    );
  });

  test('is not kept when something about it is wrong, and nothing is repeated', async () => {
    const before = await readFile(file(), 'utf8');
    for (const [args, options, code, said] of [
      [
        ['--url', url, '--token', '-'],
        { stdin: 'wrong-token' },
        1,
        'does not know the token from what was entered',
      ],
      [['--url', url, '--token', '-'], { stdin: 'wrong token' }, 64, 'The token holds characters'],
      [['--url', url, '--token', token], {}, 64, '--token takes - alone'],
      [['--url', 'nonsense', '--token', '-'], { stdin: token }, 64, 'must be an http or https address'],
      [['--url', 'http://127.0.0.1:1', '--token', '-'], { stdin: token }, 1, 'does not answer'],
      [['--token', '-'], { stdin: token }, 64, 'Give its address with --url'],
      [['--url', url], {}, 64, 'with --token -'],
    ] as [string[], RunOptions, number, string][]) {
      const ended = await laptop.assay(['login', ...args], options);
      expect(ended).toMatchObject({ code, stdout: '', stderr: expect.stringContaining(said) });
      expect(ended.stderr).not.toContain('wrong');
      expect(ended.stderr).not.toContain(token);
    }
    expect(await readFile(file(), 'utf8')).toBe(before);
  });

  test('whose file is damaged says so, and one whose token has ended too', async () => {
    const before = await readFile(file(), 'utf8');
    await writeFile(file(), '{"url":');
    expect(await suites()).toMatchObject({ code: 1, stderr: expect.stringContaining('is damaged') });
    await writeFile(file(), before);
    const { items } = await json(place, ['token', 'list', '--workspace', 'assay']);
    await json(place, ['token', 'revoke', items[0].id, '--workspace', 'assay']);
    expect(await suites()).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`does not know the token from ${file()}`),
    });
  });

  test('is forgotten', async () => {
    expect(await json(laptop, ['logout'])).toEqual({ loggedOut: true, url });
    await expect(stat(file())).rejects.toThrow(/ENOENT/);
    expect(await prompts()).toBe(false);
    expect((await suites()).code).toBe(0);
    expect(await json(laptop, ['logout'])).toEqual({ loggedOut: false, url: null });
  });
});
