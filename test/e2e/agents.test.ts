import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Installation, installation } from './installation.ts';

let place: Installation;
const file = `
kind: mcp-server
name: files
transport: { type: stdio, command: npx, args: [mcp-server-filesystem, "\${FILES_DIR}"] }
---
kind: mcp-server
name: broken
transport: { type: stdio, command: no-such-program }
---
kind: agent
name: librarian
versions:
  - { name: v1, status: active, model: offline, mcpServers: [files] }
  - { name: v2, status: active, model: offline, instructions: "Be brief.", mcpServers: [files] }
  - { name: v3, model: offline }
deployments: { dev: v1 }
`;
beforeAll(async () => {
  place = await installation();
  expect(await place.assay(['apply', '-f', '-'], { stdin: file })).toMatchObject({ code: 0 });
});
afterAll(() => place.remove());

async function json(...args: string[]) {
  const { code, stdout, stderr } = await place.assay([...args, '--json']);
  if (code !== 0) throw new Error(`${code}: ${stderr}`);
  return JSON.parse(stdout);
}

describe('assay agent deploy', () => {
  test('lets another version answer', async () => {
    const ended = await place.assay([
      'agent',
      'deploy',
      'librarian',
      '--env',
      'dev',
      '--agent-version',
      'v2',
    ]);
    expect(ended).toMatchObject({
      code: 0,
      stdout: 'The version "v2" of "librarian" answers in dev now.\n',
    });
    const { items } = await json('agent', 'list');
    expect(items).toContainEqual(expect.objectContaining({ name: 'librarian', deployments: { dev: 'v2' } }));
  });

  test('refuses a draft with one line and 1', async () => {
    const ended = await place.assay([
      'agent',
      'deploy',
      'librarian',
      '--env',
      'dev',
      '--agent-version',
      'v3',
    ]);
    expect(ended).toMatchObject({ code: 1, stdout: '' });
    expect(ended.stderr).toMatch(/^assay: version: the version "v3" is a draft.*\n$/);
  });

  test('needs its options', async () => {
    const ended = await place.assay(['agent', 'deploy', 'librarian', '--env', 'dev']);
    expect(ended.code).toBe(64);
    expect(ended.stderr).toContain("required option '--agent-version <version>' not specified");
  });
});

describe('assay mcp-server', () => {
  test('tests a server: its tools and 0, or the reason and 1', async () => {
    const reached = await place.assay(['mcp-server', 'test', 'files']);
    expect(reached.code).toBe(0);
    expect(reached.stdout).toMatch(
      /^MCP server "files" answers\. It offers \d+ tools\.\nTOOL +DESCRIPTION\n/,
    );
    expect(reached.stdout).toContain('\nlist_directory ');
    const broken = await place.assay(['mcp-server', 'test', 'broken']);
    expect(broken.code).toBe(1);
    expect(broken.stdout).toMatch(/^MCP server "broken" could not be reached .*There is no such program\./);
    const unknown = await place.assay(['mcp-server', 'test', 'nothing']);
    expect(unknown).toMatchObject({ code: 1, stdout: '' });
    expect(unknown.stderr).toContain('assay: There is no MCP server "nothing".');
  });

  test('refreshes what is known of its tools, or keeps it', async () => {
    const refreshed = await json('mcp-server', 'refresh', 'files');
    expect(refreshed.tools.map(({ name }: { name: string }) => name)).toContain('write_file');
    const broken = await place.assay(['mcp-server', 'refresh', 'broken']);
    expect(broken.code).toBe(1);
    expect(broken.stderr).toContain('The tools of "broken" stay as they were known.');
  });
});

describe('assay mcp-target set', () => {
  test.each([
    [[], 'real', null],
    [['--mock'], 'mock', null],
    [['--pass-through'], 'pass-through', null],
    [
      ['--mock', '--pass-through', '--endpoint', 'https://a.example/mcp'],
      'pass-through',
      'https://a.example/mcp',
    ],
  ])('%j', async (options, mode, endpoint) => {
    const target = await json('mcp-target', 'set', 'files', '--env', 'dev', ...options);
    expect(target).toEqual({ server: 'files', environment: 'dev', mode, endpoint });
  });

  test('says where calls go now', async () => {
    const options = ['--env', 'dev', '--pass-through', '--endpoint', 'https://a.example/mcp'];
    expect(await place.assay(['mcp-target', 'set', 'files', ...options])).toMatchObject({
      code: 0,
      stdout:
        'Calls of "files" go in dev to mock answers where there is one for the tool, else the server itself, at https://a.example/mcp.\n',
    });
  });

  test('refuses a mock where real people are', async () => {
    const ended = await place.assay(['mcp-target', 'set', 'files', '--env', 'prod', '--mock']);
    expect(ended).toMatchObject({
      code: 1,
      stderr: 'assay: mode: must be real, because "prod" is a live environment\n',
    });
  });
});

test('assay grant provides an agent to another workspace, and no longer', async () => {
  const created = await place.assay(['grant', 'create', 'librarian', '--to', 'assay', '--uses-secrets']);
  expect(created.stdout).toMatch(/^"librarian" is provided to the workspace "assay" \(\S+\)\.\n$/);
  const { items } = await json('grant', 'list');
  expect(items).toMatchObject([
    { agent: { name: 'librarian' }, consumer: { name: 'assay' }, usesSecrets: true },
  ]);
  const listed = await place.assay(['grant', 'list']);
  expect(listed.stdout).toMatch(/\nlibrarian +assay +yes +\d{4}-\S+ +\S+\n$/);
  const received = await json('agent', 'list', '--workspace', 'assay');
  expect(received.items).toEqual(
    expect.arrayContaining([expect.objectContaining({ name: 'librarian', providedBy: 'main' })]),
  );
  const [{ id }] = items;
  expect(await place.assay(['grant', 'revoke', id])).toMatchObject({
    code: 0,
    stdout: `The grant ${id} is revoked.\n`,
  });
  expect(await json('grant', 'list')).toEqual({ items: [], nextCursor: null });
  const again = await place.assay(['grant', 'revoke', id]);
  expect(again).toMatchObject({ code: 1, stdout: '' });
  expect(again.stderr).toContain(`assay: There is no grant "${id}".`);
});
