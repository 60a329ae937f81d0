import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type NounWorld, nounWorld } from '../../test/noun-world.ts';
import { serverProof } from '../contract/server-proof.ts';
import { mcpOverHttp } from '../mcp/http.ts';
import { createApp } from './app.ts';
import { authentication } from './authenticate.ts';

const token = 'assay_token-of-this-test';
const logged: { level: string; message: string; fields: Record<string, unknown> | undefined }[] = [];
let world: NounWorld;
let app: Awaited<ReturnType<typeof createApp>>;
beforeAll(async () => {
  world = await nounWorld();
  const { program } = world.context();
  const hosts = ['assay.example'];
  app = await createApp({
    program,
    authenticate: authentication({ program, operatorToken: token, hosts }),
    prove: (challenge) => serverProof(token, challenge),
    hosts,
    mcp: mcpOverHttp('1', (error) =>
      logged.push({ level: 'warn', message: error.message, fields: undefined }),
    ),
    stopping: new AbortController().signal,
    log: (level, message, fields) => logged.push({ level, message, fields }),
  });
});
afterAll(() => world.close());

interface Sent {
  method?: string;
  headers?: Record<string, string>;
  body?: RequestInit['body'];
}

async function send(path: string, { method = 'GET', headers = {}, body }: Sent = {}) {
  const response = await app.request(`http://127.0.0.1:4710${path}`, {
    method,
    headers: { host: '127.0.0.1:4710', authorization: `Bearer ${token}`, ...headers },
    ...(body === undefined ? {} : { body, duplex: 'half' }),
  } as RequestInit);
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === '' ? null : JSON.parse(text) };
}

const json = { 'content-type': 'application/json' };
const suite = (name: string) => JSON.stringify({ name, testCaseIds: [] });
const envelope = (code: string, message = /\w/) => ({
  code,
  message: expect.stringMatching(message),
  details: expect.any(Array),
});

describe('the HTTP surface', () => {
  test('answers operations with JSON, and creates what is sent as JSON', async () => {
    const created = await send('/api/test-suites', {
      method: 'POST',
      headers: json,
      body: suite('over http'),
    });
    expect(created).toMatchObject({ status: 200, body: { name: 'over http', testCaseIds: [], revision: 1 } });
    const listed = await send('/api/test-suites?limit=1');
    expect(listed.body).toMatchObject({ items: [{ name: 'over http', testCases: 0 }] });
    expect(await send(`/api/test-suites/${created.body.id}`)).toMatchObject({ body: created.body });
  });

  test('asks everybody else to sign in', async () => {
    for (const authorization of ['', 'Bearer wrong', token]) {
      const answer = await send('/api/test-suites', { headers: { authorization } });
      expect(answer).toMatchObject({ status: 401, body: envelope('unauthenticated', /Bearer/) });
      expect(answer.headers.get('www-authenticate')).toBe('Bearer');
    }
  });

  test('works in the workspace that the header names, by name or id', async () => {
    const id = world.context({ workspace: 'assay' }).workspace.id;
    for (const name of ['assay', id]) {
      const answer = await send('/api/test-suites', { headers: { 'assay-workspace': name } });
      expect(answer).toMatchObject({ status: 200, body: { items: [] } });
    }
    expect(await send('/api/test-suites', { headers: { 'assay-workspace': 'n%C3%B6' } })).toMatchObject({
      status: 404,
      body: envelope('not_found', /"nö"/),
    });
    expect(await send('/api/test-suites', { headers: { 'assay-workspace': '%zz' } })).toMatchObject({
      status: 400,
      body: envelope('invalid_input', /URI-encoded/),
    });
  });

  test('refuses host names and origins that are not its own', async () => {
    for (const headers of [{ host: 'evil.example' }, { origin: 'http://evil.example' }]) {
      for (const path of ['/api/test-suites', '/healthz']) {
        expect(await send(path, { headers })).toMatchObject({ status: 403, body: envelope('forbidden') });
      }
    }
    expect(await send('/api/test-suites', { headers: { host: 'assay.example' } })).toMatchObject({
      status: 200,
    });
  });

  test('takes nothing but JSON, so that no form of another page can write', async () => {
    const before = await world.everything();
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
    ]) {
      const answer = await send('/api/test-suites', {
        method: 'POST',
        headers: { 'content-type': type },
        body: suite('by form'),
      });
      expect(answer).toMatchObject({ status: 400, body: envelope('invalid_input', /as JSON/) });
    }
    const untyped = await send('/api/test-suites', { method: 'POST', body: new Blob([suite('untyped')]) });
    expect(untyped.status).toBe(400);
    expect(await world.everything()).toEqual(before);
  });

  test.each([
    ['PUT', '/api/settings', '{"providers":{"openai":{"key":canary-77}}}'],
    ['PUT', '/api/settings', 'canary-88'],
    ['POST', '/api/auth/sign-in', 'canary-99'],
    ['POST', '/mcp', '{"params":canary}'],
  ])(
    "what cannot be read is its sender's fault, and is repeated nowhere: %s %s %s",
    async (method, path, body) => {
      logged.length = 0;
      const { status, body: answer } = await send(path, {
        method,
        headers: { ...json, accept: 'application/json, text/event-stream' },
        body,
      });
      expect(status).toBeGreaterThanOrEqual(400);
      expect(status).toBeLessThan(500);
      expect(JSON.stringify(answer)).not.toContain('canary');
      const [request, ...others] = logged.filter(({ level }) => level !== 'warn').reverse();
      expect(request).toMatchObject({ message: 'request', fields: { status } });
      expect(others).toEqual([]);
      expect(JSON.stringify(logged)).not.toContain('canary');
    },
  );

  test('refuses a body that is no JSON, and one that is too large', async () => {
    expect(await send('/api/test-suites', { method: 'POST', headers: json, body: '{"name":' })).toMatchObject(
      {
        status: 400,
        body: envelope('invalid_input'),
      },
    );
    const large = suite('x'.repeat(1024 * 1024));
    expect(await send('/api/test-suites', { method: 'POST', headers: json, body: large })).toMatchObject({
      status: 413,
      body: envelope('too_large', /1 MB/),
    });
    const files = JSON.stringify({ files: [{ path: 'a', text: '#'.repeat(3 * 1024 * 1024) }] });
    expect(await send('/api/apply', { method: 'POST', headers: json, body: files })).toMatchObject({
      status: 400,
      body: envelope('invalid_input', /the file has 3145728 bytes/),
    });
  });

  test.each([
    ['lists', '['.repeat(200_000) + ']'.repeat(200_000)],
    ['objects', `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`],
  ])('refuses a body with %s too deep in each other, whatever the operation', async (_, deep) => {
    for (const [path, method] of [
      ['/api/test-suites', 'POST'],
      ['/api/test-suites/ghost', 'PATCH'],
      ['/api/test-runs', 'POST'],
      ['/api/apply', 'POST'],
    ] as const) {
      for (const body of [deep, `{"name":${deep}}`]) {
        const answer = await send(path, { method, headers: json, body });
        expect(answer).toMatchObject({ status: 400, body: envelope('invalid_input', /more than 100 deep/) });
      }
    }
  });

  test('takes a body that is as deep as may be for what it says', async () => {
    const nested = `${'['.repeat(99)}${']'.repeat(99)}`;
    const answer = await send('/api/test-suites', {
      method: 'POST',
      headers: json,
      body: `{"name":${nested},"testCaseIds":[]}`,
    });
    expect(answer).toMatchObject({ status: 400, body: envelope('invalid_input', /name must be text/) });
  });

  test('has no progress of a run that is not there', async () => {
    const unknown = '00000000-0000-4000-8000-000000000000';
    for (const path of [`/api/test-runs/${unknown}`, `/api/test-runs/${unknown}/events`]) {
      const answer = await send(path);
      expect(answer).toMatchObject({ status: 404, body: envelope('not_found', /test run/) });
    }
  });

  test('counts a body that does not say its length', async () => {
    const chunk = new TextEncoder().encode('x'.repeat(64 * 1024));
    let sent = 0;
    const body = new ReadableStream({
      pull: (controller) => {
        sent += 1;
        if (sent > 100) controller.close();
        else controller.enqueue(chunk);
      },
    });
    const answer = await send('/api/test-suites', { method: 'POST', headers: json, body });
    expect(answer).toMatchObject({ status: 413, body: envelope('too_large') });
    expect(sent).toBeLessThan(30);
  });

  test('names each wrong field and its value', async () => {
    const answer = await send('/api/test-suites', {
      method: 'POST',
      headers: json,
      body: JSON.stringify({ name: '', testCaseIds: ['ghost'], colour: 'red' }),
    });
    expect(answer).toMatchObject({ status: 400, body: envelope('invalid_input') });
    expect(answer.body.details.map(({ field }: { field: string }) => field)).toEqual(['name', 'colour']);
    expect(await send('/api/test-suites?limit=201')).toMatchObject({
      status: 400,
      body: envelope('invalid_input', /limit must be at most 200/),
    });
  });

  test('says so where there is nothing', async () => {
    for (const path of ['/', '/api', '/api/nothing', '/api/test-runs/1/2/3']) {
      expect(await send(path)).toMatchObject({ status: 404, body: envelope('not_found') });
    }
    expect(await send('/api/test-suites', { method: 'DELETE' })).toMatchObject({ status: 404 });
  });

  test('proves to whoever holds the operator token that it holds it too', async () => {
    const { body } = await send('/healthz?challenge=c4a11e', { headers: { authorization: '' } });
    expect(body).toEqual({ status: 'ok', proof: serverProof(token, 'c4a11e') });
    expect(serverProof(token, 'another')).not.toBe(body.proof);
    expect(serverProof('another', 'c4a11e')).not.toBe(body.proof);
    expect(body.proof).not.toContain(token);
  });

  test('tells whether it lives without a sign-in, and logs one line for each request', async () => {
    logged.length = 0;
    const anonymous = { headers: { authorization: '' } };
    expect(await send('/healthz', anonymous)).toMatchObject({ status: 200, body: { status: 'ok' } });
    expect(await send('/readyz?secret=1', anonymous)).toMatchObject({
      status: 200,
      body: { status: 'ready' },
    });
    expect(logged.map(({ message, fields }) => [message, fields?.path, fields?.status])).toEqual([
      ['request', '/healthz', 200],
      ['request', '/readyz', 200],
    ]);
  });
});

test('without its database it lives and is not ready, and its answer says nothing of the inside', async () => {
  const gone = await nounWorld();
  const { program } = gone.context();
  await gone.close();
  const lines: string[] = [];
  const orphan = await createApp({
    program,
    authenticate: authentication({ program, operatorToken: token, hosts: [] }),
    prove: (challenge) => serverProof(token, challenge),
    hosts: [],
    mcp: () => Promise.reject(new Error('nobody speaks MCP here')),
    stopping: new AbortController().signal,
    log: (level, message) => lines.push(`${level} ${message}`),
  });
  const ask = (path: string) =>
    orphan.request(`http://127.0.0.1${path}`, {
      headers: { host: '127.0.0.1', authorization: `Bearer ${token}` },
    });
  expect((await ask('/healthz')).status).toBe(200);
  expect((await ask('/readyz')).status).toBeGreaterThanOrEqual(500);
  const refused = await ask('/api/test-suites');
  expect(refused.status).toBeGreaterThanOrEqual(500);
  expect(await refused.json()).toEqual({
    code: expect.stringMatching(/^(internal|unavailable)$/),
    message: expect.not.stringMatching(/pool|ECONN|pg/i),
    details: [],
  });
  expect(lines.filter((line) => line === 'error request failed')).toHaveLength(2);
});
