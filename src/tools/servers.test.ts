import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import {
  installedServer,
  never,
  recorder,
  scope,
  secrets,
  server,
  toolBench,
} from '../../test/tool-bench.ts';
import type { ExecutionFailure } from '../core/errors.ts';
import type { FrozenServer } from '../core/frozen.ts';
import type { JsonObject } from '../core/json.ts';
import type { ToolSession } from '../core/ports.ts';

const { tools } = toolBench();
const directory = mkdtempSync(path.join(tmpdir(), 'assay-servers-'));
afterAll(async () => {
  await tools.close();
  rmSync(directory, { recursive: true });
});

async function run(session: ToolSession, name: string, args: JsonObject) {
  const { emit, returned } = recorder();
  const [answer] = await session.callAll([{ callId: 'c1', name, args }], emit, 0, never);
  return { text: answer?.text ?? '', end: returned('c1') };
}

const refusal = (opening: Promise<unknown>): Promise<ExecutionFailure> =>
  opening.then(
    () => Promise.reject(new Error('the server was reached')),
    (error: ExecutionFailure) => error,
  );

describe('servers in the wild, which speak the older protocol', () => {
  test('the filesystem server reads a folder and refuses one outside', async () => {
    writeFileSync(path.join(directory, 'a.txt'), 'text of a');
    const session = await tools.open([installedServer('filesystem', [directory])], scope(), never);
    const hints = session.offered.find(({ tool }) => tool === 'write_file')?.annotations;
    expect(hints).toMatchObject({ readOnlyHint: false, destructiveHint: true });
    expect((await run(session, 'list_directory', { path: directory })).text).toContain('a.txt');
    const outside = await run(session, 'read_text_file', { path: '/etc/passwd' });
    expect(outside).toMatchObject({ end: { isError: true } });
    expect(outside.text).toContain('outside allowed directories');
    await session.close();
  });

  test('the memory server keeps what it was told for the conversation', async () => {
    const file = path.join(directory, 'memory.json');
    const { transport } = installedServer('memory', []);
    const env = { MEMORY_FILE_PATH: secrets.seal(file) };
    const session = await tools.open(
      [server('memory', { ...transport, env } as typeof transport)],
      scope(),
      never,
    );
    const entities = [{ name: 'Ada', entityType: 'person', observations: ['likes tea'] }];
    expect((await run(session, 'create_entities', { entities })).end.isError).toBe(false);
    expect((await run(session, 'read_graph', {})).end).toMatchObject({
      result: { structuredContent: { entities: [{ name: 'Ada' }], relations: [] } },
    });
    await session.close();
  });

  test('the everything server answers with text, pictures and links, each told to the model in words', async () => {
    const session = await tools.open([installedServer('everything', ['stdio'])], scope(), never);
    expect((await run(session, 'echo', { message: 'hällo' })).text).toBe('Echo: hällo');
    expect((await run(session, 'get-tiny-image', {})).text).toMatch(/\[image image\/png, \d+ bytes\]/);
    expect((await run(session, 'get-resource-links', { count: 2 })).text).toMatch(/\[link to .+: .+\]/);
    await session.close();
  });
});

describe('over HTTP', () => {
  let child: ChildProcess;
  let url: string;
  let remote: FrozenServer;

  beforeAll(async () => {
    const port = await freePort();
    url = `http://127.0.0.1:${port}/mcp`;
    remote = server('remote', { type: 'http', url, headers: {} });
    const file = path.join(
      import.meta.dirname,
      '../../node_modules/@modelcontextprotocol/server-everything/dist/index.js',
    );
    child = spawn(process.execPath, [file, 'streamableHttp'], {
      env: { ...process.env, PORT: String(port) },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    await new Promise<void>((resolve) =>
      child.stderr?.on('data', (text) => /listening/i.test(String(text)) && resolve()),
    );
  });
  afterAll(() => child.kill('SIGKILL'));

  test('a server is discovered, called and told goodbye', async () => {
    expect((await tools.discover(remote, 'workspace-1', never)).map(({ tool }) => tool)).toContain('echo');
    const session = await tools.open([remote], scope(), never);
    expect((await run(session, 'echo', { message: 'over HTTP' })).text).toBe('Echo: over HTTP');
    await session.close();
    await expect(run(session, 'echo', { message: 'too late' })).rejects.toMatchObject({
      code: 'server_lost',
    });
  });

  test('the endpoint of the target takes the place of the address', async () => {
    const elsewhere = server(
      'elsewhere',
      { type: 'http', url: 'http://127.0.0.1:1/mcp', headers: {} },
      { target: { mode: 'real', endpoint: url } },
    );
    const session = await tools.open([elsewhere], scope(), never);
    expect((await run(session, 'echo', { message: 'there' })).text).toBe('Echo: there');
    await session.close();
  });

  test('a server that dies in the middle of a call ends it at once, not at the time limit', async () => {
    const session = await tools.open([remote], scope(), never);
    const started = performance.now();
    const { emit, returned } = recorder();
    const args = { duration: 60, steps: 2 };
    const long = { callId: 'c1', name: 'trigger-long-running-operation', args };
    const pending = session.callAll([long], emit, 0, never);
    setTimeout(() => child.kill('SIGKILL'), 300);
    await expect(pending).rejects.toMatchObject({
      code: 'server_lost',
      message: expect.stringContaining('"remote" was lost while it ran "trigger-long-running-operation"'),
    });
    expect(returned('c1')).toMatchObject({ isError: true, error: { code: 'transport' } });
    expect(performance.now() - started).toBeLessThan(8_000);
    await session.close();
  });
});

describe('secrets in headers', () => {
  const received: http.IncomingHttpHeaders[] = [];
  const servers: http.Server[] = [];
  afterEach(() => {
    received.length = 0;
    for (const each of servers.splice(0)) each.close();
  });

  /** Refuses everybody, and repeats what it was sent. */
  async function suspicious(before = ''): Promise<string> {
    const created = http.createServer(({ headers }, response) => {
      received.push(headers);
      response.writeHead(401).end(`${before}bad token ${headers.authorization}`);
    });
    servers.push(created);
    await new Promise<void>((resolve) => created.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(created.address() as AddressInfo).port}/mcp`;
  }

  const guarded = (url: string, endpoint: string | null = null) =>
    server(
      'guarded',
      { type: 'http', url, headers: { Authorization: secrets.seal('Bearer hunter22-token') } },
      { target: { mode: 'real', endpoint } },
    );

  test('reach their server and show nowhere, even where the server repeats them', async () => {
    const error = await refusal(tools.open([guarded(await suspicious())], scope(), never));
    expect(received[0]?.authorization).toBe('Bearer hunter22-token');
    expect(error).toMatchObject({ name: 'ExecutionFailure', where: 'tool', code: 'server_unreachable' });
    expect(error.message).toContain(
      'It answered with HTTP 401: bad token [redacted]. Check the headers of this server.',
    );
  });

  test('are not left in part where a long answer is cut', async () => {
    const { message } = await refusal(
      tools.open([guarded(await suspicious('.'.repeat(478)))], scope(), never),
    );
    expect(message).toContain('bad token [redacted]');
    expect(message).not.toContain('hunter');
  });

  test('follow an endpoint on the same host, and do not leave for another one', async () => {
    const url = await suspicious();
    await refusal(tools.open([guarded(url, `${url}/other`)], scope(), never));
    expect(received[0]?.authorization).toBe('Bearer hunter22-token');
    received.length = 0;
    await refusal(tools.open([guarded(url, await suspicious())], scope(), never));
    expect(received).toHaveLength(1);
    expect(received[0]).not.toHaveProperty('authorization');
  });

  test('that cannot be opened stop the conversation with the key that is missing', async () => {
    const sealed = { $sealed: { ...secrets.seal('x').$sealed, keyId: 'lost-key' } };
    const locked = server('locked', {
      type: 'http',
      url: 'http://127.0.0.1:1/',
      headers: { Authorization: sealed },
    });
    const error = await refusal(tools.open([locked], scope(), never));
    expect(error).toMatchObject({ where: 'tool', code: 'secret_unreadable' });
    expect(error.message).toContain('"locked"');
    expect(error.message).toContain('sealed with key lost-key');
  });
});

describe('a server that cannot be reached is named with the cause', () => {
  test('no such program', async () => {
    const transport = { type: 'stdio' as const, command: 'no-such-program', args: ['--key=x'], env: {} };
    const error = await refusal(tools.open([server('files', transport)], scope(), never));
    expect(error).toMatchObject({ where: 'tool', code: 'server_unreachable' });
    expect(error.message).toBe(
      'MCP server "files" could not be reached (the command "no-such-program"). There is no such program. Install it, or correct the command.',
    );
  });

  test('and its last words hold no part of a secret, though only the last are shown', async () => {
    const key = `-----BEGIN KEY-----\n${Array.from({ length: 40 }, (_, line) => `MIIEvQ${line}BADANBgkqhkiG9w0B`).join('\n')}\n-----END KEY-----`;
    const script = 'console.error([process.env.KEY, process.env.LONG, "fatal: no luck"].join("\\n"))';
    const transport = {
      type: 'stdio' as const,
      command: process.execPath,
      args: ['-e', script],
      env: { KEY: secrets.seal(key), LONG: secrets.seal(`canary${'-of-the-mine'.repeat(300)}`) },
    };
    const { message } = await refusal(tools.open([server('chatty', transport)], scope(), never));
    expect(message).toContain('It ended with exit code 0. Its last output:');
    expect(message).toContain('[redacted]');
    expect(message).not.toMatch(/MIIE|KEY|canary|mine/);
  });

  test('a refused port', async () => {
    const url = `http://127.0.0.1:${await freePort()}/mcp`;
    const error = await refusal(
      tools.discover(server('remote', { type: 'http', url, headers: {} }), 'workspace-1', never),
    );
    expect(error.message).toContain(`MCP server "remote" could not be reached (${url}).`);
    expect(error.message).toContain('the connection was refused');
  });

  test('cloud metadata, whatever the installation allows', async () => {
    const url = 'http://169.254.169.254/mcp';
    const error = await refusal(
      tools.open([server('meta', { type: 'http', url, headers: {} })], scope(), never),
    );
    expect(error.message).toContain('is never called');
  });

  test('own tools where they are not served', async () => {
    const error = await refusal(tools.open([server('assay', { type: 'builtin' })], scope(), never));
    expect(error).toMatchObject({ where: 'tool', code: 'builtin_unavailable' });
  });
});

function freePort(): Promise<number> {
  const probe = createServer();
  return new Promise((resolve) => {
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as AddressInfo;
      probe.close(() => resolve(port));
    });
  });
}
