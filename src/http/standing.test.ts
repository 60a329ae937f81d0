import { type ClientRequest, type IncomingHttpHeaders, request } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { type ProgramWorld, programWorld } from '../../test/program-world.ts';
import { waitingRun } from '../../test/waiting-run.ts';
import { userCaller } from '../api/call/caller.ts';
import { mcpOverHttp } from '../mcp/http.ts';
import { systemRandom } from '../net/system-ports.ts';
import { insertAccount, insertPassword } from '../store/account.ts';
import { createApp } from './app.ts';
import { authentication } from './authenticate.ts';
import { type Listening, listen } from './listen.ts';

const password = 'correct horse battery';

let world: ProgramWorld;
let server: Listening;
/** Of a run that nobody works on. */
let runId: string;
let workspaceId: string;
beforeAll(async () => {
  world = await programWorld();
  runId = await waitingRun(world);
  workspaceId = (await world.client().me({})).workspace.id;
  const { program } = world;
  const app = await createApp({
    program,
    authenticate: authentication({ program, operatorToken: 'x'.repeat(40), hosts: [] }),
    prove: () => '',
    hosts: [],
    mcp: mcpOverHttp('1', () => {}),
    stopping: new AbortController().signal,
    log: () => {},
  });
  server = await listen(app.fetch, { host: '127.0.0.1', port: 0 });
});
afterAll(async () => {
  await server.close();
  await world.close();
});

/** Somebody with an account, a session and a token of the workspace main, where they are editor. */
interface Person {
  id: string;
  tokenId: string;
  byToken: IncomingHttpHeaders;
  bySession: IncomingHttpHeaders;
}

let person: Person;
beforeEach(async () => {
  const { program } = world;
  const { system } = program.database;
  const accounts = await program.accounts();
  const id = systemRandom.id();
  const account = { id, name: 'Ada', email: `${id}@assay.example` };
  await insertAccount(system, account);
  const hash = await accounts.hashPassword(password);
  await insertPassword(system, { id: systemRandom.id(), accountId: id, hash });
  await system
    .insertInto('member')
    .values({ workspace_id: workspaceId, user_id: id, role: 'editor' })
    .execute();
  const caller = await userCaller(program.database, account, async () => null);
  const token = await world.client('main', caller).tokens.create({ name: 't', role: 'editor' });
  const client = { address: null, forwardedFor: null, userAgent: null };
  const { cookies } = await accounts.startSession({ email: account.email, password }, client);
  const cookie = cookies.map((each) => each.split(';')[0]).join('; ');
  person = {
    id,
    tokenId: token.id,
    byToken: { authorization: `Bearer ${token.token}` },
    bySession: { cookie, origin: server.url },
  };
});

/** Sends a request, and collects what is answered. */
function send(path: string, headers: IncomingHttpHeaders, body?: object) {
  const heard = { status: 0, text: '', ended: false };
  const sent: ClientRequest = request(`${server.url}${path}`, {
    agent: false,
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      'assay-workspace': 'main',
      ...headers,
    },
  });
  sent.once('error', () => {});
  sent.once('response', (response) => {
    heard.status = response.statusCode ?? 0;
    response.setEncoding('utf8').on('data', (chunk) => {
      heard.text += chunk;
    });
    response.once('end', () => {
      heard.ended = true;
    });
    response.once('error', () => {});
  });
  sent.end(body === undefined ? undefined : JSON.stringify(body));
  onTestFinished(() => void sent.destroy());
  return heard;
}

const stream = (headers: IncomingHttpHeaders) => send(`/api/test-runs/${runId}/events`, headers);
const wait = (headers: IncomingHttpHeaders) =>
  send('/api/test-runs', headers, { testSuiteId: 'waits', waitSeconds: 600 });
const callTool = (headers: IncomingHttpHeaders, meta = {}) =>
  send('/mcp', headers, {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'run-test-suite', arguments: { test_suite_id: 'waits', wait_seconds: 600 }, ...meta },
  });

/** Waits until a run has been started since. */
async function begun(work: () => ReturnType<typeof send>) {
  const count = async () => (await world.client().testRuns.list({ limit: 200 })).items.length;
  const before = await count();
  const heard = work();
  await expect.poll(count).toBe(before + 1);
  return heard;
}

const system = () => world.program.database.system;
const losses = {
  'a token that is revoked': {
    headers: () => person.byToken,
    lose: () => world.client().tokens.revoke({ id: person.tokenId }),
    status: 401,
    code: 'unauthenticated',
  },
  'a token whose time is over': {
    headers: () => person.byToken,
    lose: () =>
      system()
        .updateTable('api_token')
        .set({ expires_at: new Date() })
        .where('id', '=', person.tokenId)
        .execute(),
    status: 401,
    code: 'unauthenticated',
  },
  'a token whose owner is removed': {
    headers: () => person.byToken,
    lose: () => world.client().members.remove({ userId: person.id }),
    status: 401,
    code: 'unauthenticated',
  },
  'a session that is signed out': {
    headers: () => person.bySession,
    lose: async () => (await world.program.accounts()).signOut(person.bySession.cookie ?? ''),
    status: 401,
    code: 'unauthenticated',
  },
  'a member who is removed': {
    headers: () => person.bySession,
    lose: () => world.client().members.remove({ userId: person.id }),
    status: 404,
    code: 'not_found',
  },
};

describe.each(Object.entries(losses))('%s', (_, { headers, lose, status, code }) => {
  test('sees no more of a stream that is open, and is told as at a new request', async () => {
    const heard = stream(headers());
    await expect.poll(() => heard.text).toContain('"status":"queued"');
    await lose();
    await expect.poll(() => heard.ended, { timeout: 10_000 }).toBe(true);
    const { text } = await ended(stream(headers()));
    expect(JSON.parse(text)).toMatchObject({ code });
    expect(heard.text).toMatch(new RegExp(`event: error\\ndata: .*"code":"${code}"`));
    expect(heard.text).toContain(JSON.stringify(JSON.parse(text).message));
  });

  test('waits no longer for a run', async () => {
    const heard = await begun(() => wait(headers()));
    await lose();
    await ended(heard);
    expect(heard.status).toBe(status);
    expect(JSON.parse(heard.text)).toMatchObject({ code });
  });
});

test.each([
  ['asks for no progress', {}],
  ['asks for progress', { _meta: { progressToken: 'p' } }],
])('a call over MCP that waits and %s ends with the token', async (_, meta) => {
  const heard = await begun(() => callTool(person.byToken, meta));
  await world.client().tokens.revoke({ id: person.tokenId });
  await ended(heard);
  expect(heard.text).toContain('"isError":true');
  expect(heard.text).toContain('Sign in: send a token');
  expect((await ended(callTool(person.byToken))).status).toBe(401);
});

test('who may see less, but still the run, goes on following it', async () => {
  const heard = stream(person.bySession);
  const gone = stream(person.byToken);
  await expect.poll(() => heard.text).toContain('"status":"queued"');
  await expect.poll(() => gone.text).toContain('"status":"queued"');
  await world.client().members.setRole({ userId: person.id, role: 'viewer' });
  await world.client().tokens.revoke({ id: person.tokenId });
  await ended(gone);
  expect(heard.ended).toBe(false);
});

async function ended(heard: ReturnType<typeof send>) {
  await expect.poll(() => heard.ended, { timeout: 10_000 }).toBe(true);
  return heard;
}
