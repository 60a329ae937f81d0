import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { removeHome, temporaryHome } from '../temporary-home.ts';
import { type Installation, installation, root, suitesFile } from './installation.ts';

let place: Installation;
beforeAll(async () => {
  place = await installation();
  expect(await place.assay(['apply', '-f', suitesFile])).toMatchObject({ code: 0 });
});
afterAll(() => place.remove());

const serverFile = () => readFile(join(place.home, 'serve.json'), 'utf8').then(JSON.parse, () => null);

describe('a server', () => {
  test('is found by the commands on its data, keeps others from a second one, and leaves nothing behind', async () => {
    const server = place.start(['serve', '--port', '0']);
    const [, url] = await server.said('stdout', /serves (http:\/\/127\.0\.0\.1:\d+) on/);
    expect(await serverFile()).toEqual({ pid: server.process.pid, url });
    expect((await stat(join(place.home, 'operator-token'))).mode & 0o777).toBe(0o600);

    expect(await place.assay(['serve', '--port', '0'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`${url}`),
    });
    expect(await place.assay(['test', 'run', '--suite', 'green', '--wait'])).toMatchObject({ code: 0 });
    await server.said('stderr', /"method":"POST","path":"\/api\/test-runs","status":200/);

    server.process.kill('SIGTERM');
    expect(await server.ended).toMatchObject({ code: 0 });
    expect(await serverFile()).toBeNull();
  });

  test('is asked for a result once, whatever forms of it are wanted', async () => {
    const server = place.start(['serve', '--port', '0']);
    await server.said('stdout', /serves/);
    const report = join(place.files, 'once.xml');
    const ended = await place.assay(['test', 'run', '--suite', 'red', '--wait', '--json', '--junit', report]);
    expect(ended).toMatchObject({ code: 1 });
    const { id, totals } = JSON.parse(ended.stdout);
    expect(await readFile(report, 'utf8')).toContain(
      `tests="${totals.tests}" failures="${totals.failed}" errors="0"`,
    );

    server.process.kill('SIGTERM');
    const asked = (await server.ended).stderr.matchAll(/"method":"GET","path":"([^"]+)"/g);
    expect([...asked].map(([, path]) => path).filter((path) => path?.includes(id))).toEqual([
      `/api/test-runs/${id}/events`,
      `/api/test-runs/${id}`,
    ]);
  });

  test('that dies while a run is watched leaves the run, and the command says so', async () => {
    const server = place.start(['serve', '--port', '0']);
    await server.said('stdout', /serves/);
    const watching = place.start(['test', 'run', '--suite', 'stuck', '--wait', '--reconnect', '1']);
    await watching.said('stderr', /1 running/);
    server.process.kill('SIGKILL');
    await server.ended;
    const ended = await watching.ended;
    expect(ended.code).toBe(2);
    expect(ended.stderr).toMatch(/^assay: .*The run goes on.*assay test result [0-9a-f-]{36}/m);
    expect(ended.stderr).not.toMatch(/^\s+at /m);
    const [id = ''] = ended.stderr.match(/[0-9a-f-]{36}/) ?? [];
    expect(await place.assay(['test', 'cancel', id])).toMatchObject({ code: 0 });
  });

  test('that was killed does not stand in the way: its file counts for nothing', async () => {
    const gone = { pid: 2 ** 22 + 1, url: 'http://127.0.0.1:65431' };
    await writeFile(join(place.home, 'serve.json'), JSON.stringify(gone));
    expect(await place.assay(['test', 'suites'])).toMatchObject({ code: 0 });
    await writeFile(join(place.home, 'serve.json'), JSON.stringify({ ...gone, pid: process.pid }));
    expect(await place.assay(['test', 'suites'])).toMatchObject({ code: 0 });
    await writeFile(join(place.home, 'serve.json'), '{"pid":');
    expect(await place.assay(['test', 'suites'])).toMatchObject({ code: 0 });
  });

  test('on a port that is in use says so', async () => {
    const server = place.start(['serve', '--port', '0']);
    const [, port = ''] = await server.said('stdout', /serves http:\/\/127\.0\.0\.1:(\d+) on/);
    const other = await temporaryHome();
    onTestFinished(() => removeHome(other));
    const ended = await place.assay(['serve', '--port', port], { env: { ASSAY_HOME: other } });
    expect(ended).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`Port ${port} on 127.0.0.1 is in use`),
    });
    server.process.kill('SIGINT');
    expect(await server.ended).toMatchObject({ code: 0 });
  });
});

describe('a server somewhere else', () => {
  const elsewhere = { ASSAY_URL: 'http://127.0.0.1:65431', ASSAY_TOKEN: 'x' };

  test('that does not answer ends a command with a message and no stack', async () => {
    const listed = await place.assay(['test', 'suites'], { env: elsewhere });
    expect(listed.code).toBe(1);
    expect(listed.stderr).toMatch(
      /^assay: The Assay server at http:\/\/127\.0\.0\.1:65431 does not answer \(\w+\)\./,
    );
    expect(listed.stderr.trim().split('\n')).toHaveLength(1);
    expect(
      await place.assay(['test', 'run', '--suite', 'green', '--wait'], { env: elsewhere }),
    ).toMatchObject({
      code: 2,
    });
  });

  test('needs a token, and a right one', async () => {
    expect(await place.assay(['test', 'suites'], { env: { ASSAY_URL: elsewhere.ASSAY_URL } })).toMatchObject({
      code: 64,
      stderr: expect.stringContaining('ASSAY_TOKEN'),
    });
    expect(
      await place.assay(['test', 'suites'], { env: { ...elsewhere, ASSAY_URL: 'nonsense' } }),
    ).toMatchObject({
      code: 64,
      stderr: expect.stringContaining('ASSAY_URL must be an http or https address; it is "nonsense"'),
    });
    for (const ASSAY_TOKEN of ['two words', 'line\nbreak', 'tökén', '秘密']) {
      const ended = await place.assay(['test', 'suites'], { env: { ...elsewhere, ASSAY_TOKEN } });
      expect(ended).toMatchObject({
        code: 64,
        stdout: '',
        stderr: expect.stringMatching(/^assay: ASSAY_TOKEN /),
      });
      expect(ended.stderr).not.toContain(ASSAY_TOKEN);
    }
    const server = place.start(['serve', '--port', '0']);
    const [, url = ''] = await server.said('stdout', /serves (http:\S+) on/);
    expect(
      await place.assay(['test', 'suites'], { env: { ASSAY_URL: url, ASSAY_TOKEN: 'wrong' } }),
    ).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('does not know the token from ASSAY_TOKEN'),
    });
    server.process.kill('SIGTERM');
    await server.ended;
  });
});

describe('without a server', () => {
  test('a run that nobody waits for stays queued, says how to start a worker, and is worked on by one', async () => {
    const started = await place.assay(['test', 'run', '--suite', 'green']);
    expect(started.code).toBe(0);
    const id = started.stdout.trim();
    expect(id).toMatch(/^[0-9a-f-]{36}$/);
    expect(started.stderr).toMatch(/stays queued.*assay serve.*assay worker/);
    const queued = await place.assay(['test', 'result', id, '--json']);
    expect(JSON.parse(queued.stdout)).toMatchObject({ status: 'queued', outcome: null });

    const worker = place.start(['worker']);
    await worker.said('stderr', /Working on runs/);
    await expect
      .poll(async () => JSON.parse((await place.assay(['test', 'result', id, '--json'])).stdout).status, {
        timeout: 20_000,
        interval: 200,
      })
      .toBe('finished');
    const silent = await place.assay(['test', 'run', '--suite', 'green']);
    expect(silent).toMatchObject({ code: 0, stderr: '' });
    worker.process.kill('SIGINT');
    expect(await worker.ended).toMatchObject({ code: 0 });
  });

  test('MCP works in the process of the command itself', async () => {
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(
      new StdioClientTransport({
        command: process.execPath,
        args: [join(root, 'bin', 'assay'), 'mcp'],
        env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', ASSAY_HOME: place.home },
      }),
    );
    const ask = async (name: string, args: Record<string, unknown>) =>
      (await client.callTool({ name, arguments: args })).structuredContent as Record<string, unknown>;
    const { id } = await ask('run-test-suite', { test_suite_id: 'red' });
    await expect
      .poll(async () => (await ask('get-test-run-result', { test_run_id: id })).outcome, { timeout: 20_000 })
      .toBe('failed');
    await client.close();
  });

  test('a run of somebody else can be cancelled', async () => {
    const started = await place.assay(['test', 'run', '--suite', 'green', '--json']);
    const { id } = JSON.parse(started.stdout);
    expect(await place.assay(['test', 'cancel', id])).toMatchObject({
      code: 0,
      stdout: `Run ${id} is cancelled.\n`,
    });
    expect(await place.assay(['test', 'cancel', id])).toMatchObject({ code: 0 });
    expect(await place.assay(['test', 'cancel', 'ghost'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('There is no test run "ghost"'),
    });
  });
});
