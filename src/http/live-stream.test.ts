import { type ClientRequest, request } from 'node:http';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { type ProgramWorld, programWorld } from '../../test/program-world.ts';
import { waitingRun } from '../../test/waiting-run.ts';
import { createApp } from './app.ts';
import { authentication } from './authenticate.ts';
import { type Listening, listen } from './listen.ts';
import { serverStops } from './stopping.ts';

const token = 'assay_token-of-this-test';

let world: ProgramWorld;
/** Of a run that nobody works on. */
let runId: string;
/** How many streams are being followed. */
let following = 0;
beforeAll(async () => {
  world = await programWorld();
  runId = await waitingRun(world);
});
afterAll(() => world.close());

async function serve() {
  const stopping = new AbortController();
  const { database } = world.program;
  const program = {
    ...world.program,
    database: {
      ...database,
      listen: async (...args: Parameters<typeof database.listen>) => {
        const stop = await database.listen(...args);
        following += 1;
        return () => {
          following -= 1;
          stop();
        };
      },
    },
  };
  const app = await createApp({
    program,
    authenticate: authentication({ program, operatorToken: token, hosts: [] }),
    prove: () => '',
    hosts: [],
    mcp: () => Promise.reject(new Error('nobody speaks MCP here')),
    stopping: stopping.signal,
    log: () => {},
  });
  const server = await listen(app.fetch, { host: '127.0.0.1', port: 0 });
  onTestFinished(() => server.close());
  return { server, stopping };
}

/** Sends a request, and collects what is answered. */
function send({ url }: Listening, path: string, body?: string) {
  const heard = { text: '', ended: false };
  const sent: ClientRequest = request(`${url}/api${path}`, {
    agent: false,
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
  });
  sent.once('error', () => {});
  sent.once('response', (response) => {
    response.setEncoding('utf8').on('data', (chunk) => {
      heard.text += chunk;
    });
    response.once('end', () => {
      heard.ended = true;
    });
    response.once('error', () => {});
  });
  sent.end(body);
  return { sent, heard };
}

test('a stream whose reader is gone is followed no more', async () => {
  const { server } = await serve();
  const streams = [1, 2, 3].map(() => send(server, `/test-runs/${runId}/events`));
  for (const { heard } of streams) await expect.poll(() => heard.text).toContain('"status":"queued"');
  expect(following).toBe(3);
  for (const { sent } of streams) sent.destroy();
  await expect.poll(() => following, { timeout: 10_000 }).toBe(0);
});

test('a wait for a run whose caller is gone is over', async () => {
  const { server } = await serve();
  const { sent } = send(server, '/test-runs', JSON.stringify({ testSuiteId: 'waits', waitSeconds: 600 }));
  await expect.poll(() => following).toBe(1);
  sent.destroy();
  await expect.poll(() => following, { timeout: 10_000 }).toBe(0);
});

test('when the server stops, streams end with an error and waits with what there is', async () => {
  const { server, stopping } = await serve();
  const stream = send(server, `/test-runs/${runId}/events`);
  const waiting = send(server, '/test-runs', JSON.stringify({ testSuiteId: 'waits', waitSeconds: 600 }));
  await expect.poll(() => stream.heard.text).toContain('"status":"queued"');
  await expect.poll(() => following).toBe(2);
  stopping.abort(serverStops());
  await expect.poll(() => stream.heard.ended && waiting.heard.ended).toBe(true);
  expect(stream.heard.text).toMatch(/event: error\ndata: .*"code":"unavailable"/);
  expect(JSON.parse(waiting.heard.text)).toMatchObject({ status: 'queued', suite: { name: 'waits' } });
  expect(following).toBe(0);
});
