import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Asked, type People, type Person, people, untilThere } from './people.ts';

let all: People;
beforeAll(async () => {
  all = await people();
}, untilThere);
afterAll(() => all.leave());

const accept = 'application/json, text/event-stream';
const message = (name: string, args: object = {}, id: number | string = 1) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: args },
});

/** What a tool answers, or the refusal that comes in its place. */
async function call(who: Person, name: string, args: object = {}, headers: Asked['headers'] = {}) {
  const answer = await who.ask('/mcp', {
    method: 'POST',
    headers: { accept, ...headers },
    body: message(name, args),
  });
  const data = /^data: (.*)$/m.exec(String(answer.body))?.[1];
  if (data === undefined) return { ...answer, isError: undefined, text: '' };
  const { result } = JSON.parse(data);
  return { ...answer, isError: result.isError ?? false, text: result.content[0].text as string };
}

const unauthenticated = { status: 401, body: { code: 'unauthenticated' } };

describe('MCP over HTTP', () => {
  test('is for those who have a token, whatever else they bring', async () => {
    for (const who of [all.nobody, all.revoked]) {
      const refused = await call(who, 'list-test-suites');
      expect(refused).toMatchObject(unauthenticated);
      expect(refused.headers.get('www-authenticate')).toBe('Bearer');
    }
    const { cookie, workspaceId } = all.admin;
    for (const authorization of [undefined, '', 'Basic YTpi', 'Bearer wrong', 'Bearer ']) {
      const headers = {
        accept,
        cookie,
        origin: all.url,
        'assay-workspace': workspaceId,
        ...(authorization === undefined ? {} : { authorization }),
      };
      const asked = { method: 'POST', headers, body: message('list-test-suites') };
      expect(await all.ask('/mcp', asked), authorization).toMatchObject(unauthenticated);
    }
  });

  test('lets everybody do what their role allows, at the moment of the call', async () => {
    const suite = (who: Person) => ({ name: `of ${who.name}`, test_case_ids: [] });
    for (const who of [all.viewer, all.editor, all.admin, all.operator]) {
      expect(await call(who, 'list-test-suites'), who.name).toMatchObject({ status: 200, isError: false });
    }
    const viewers = await call(all.viewer, 'create-test-suite', suite(all.viewer));
    expect(viewers).toMatchObject({ isError: true, text: expect.stringMatching(/needs the role editor/) });
    for (const who of [all.editor, all.admin, all.operator]) {
      expect(await call(who, 'create-test-suite', suite(who)), who.name).toMatchObject({ isError: false });
    }
    const cancelled = await call(all.viewer, 'cancel-test-run', { test_run_id: 'ghost' });
    expect(cancelled.text).toMatch(/needs the role editor/);
  });

  test('shows the workspace that is named, and none that the caller may not see', async () => {
    const { id } = JSON.parse(
      (await call(all.editor, 'create-test-suite', { name: 'ours', test_case_ids: [] })).text,
    );
    const foreign = await call(all.elsewhere, 'get-test-suite', { id });
    const missing = await call(all.elsewhere, 'get-test-suite', {
      id: '01a22cfe-0000-7000-8000-000000000000',
    });
    expect(foreign.text.replaceAll(id, 'ID')).toBe(
      missing.text.replaceAll('01a22cfe-0000-7000-8000-000000000000', 'ID'),
    );
    const refused = await call(
      all.elsewhere,
      'list-test-suites',
      {},
      { 'assay-workspace': all.viewer.workspaceId },
    );
    expect(refused).toMatchObject({ isError: true, text: expect.stringMatching(/no workspace/) });
    expect((await call(all.elsewhere, 'list-test-suites')).text).not.toContain('ours');
  });

  test('answers to no foreign host and no foreign page', async () => {
    const body = message('list-test-suites');
    const asked = (headers: Record<string, string>) =>
      rawStatus(all.url, all.admin.token ?? '', headers, JSON.stringify(body));
    expect(await asked({})).toBe(200);
    expect(await asked({ host: 'rebound.example' })).toBe(403);
    expect(await asked({ origin: 'http://rebound.example' })).toBe(403);
    expect(await asked({ origin: 'null' })).toBe(403);
  });

  test('takes no body that is large, deep, or no JSON', async () => {
    const post = (body: string, headers = {}) =>
      all.admin.ask('/mcp', { method: 'POST', headers: { accept, ...headers }, body });
    const large = JSON.stringify(message('list-test-suites', { search: 'x'.repeat(1024 * 1024) }));
    expect(await post(large)).toMatchObject({ status: 413, body: { code: 'too_large' } });
    const deep = `${'['.repeat(5_000)}${']'.repeat(5_000)}`;
    expect(await post(deep)).toMatchObject({ status: 400, body: { code: 'invalid_input' } });
    expect(await post('{"jsonrpc":')).toMatchObject({ status: 400, body: { error: { code: -32700 } } });
    expect(await post(large.slice(0, 100), { 'content-type': 'text/plain' })).toMatchObject({ status: 400 });
  });

  test('keeps no sessions: there is nothing to listen to and nothing to end', async () => {
    for (const method of ['GET', 'DELETE']) {
      expect(await all.admin.ask('/mcp', { method, headers: { accept } })).toMatchObject({ status: 405 });
    }
  });
});

/** `fetch` sets these headers itself. */
function rawStatus(
  url: string,
  token: string,
  headers: Record<string, string>,
  body: string,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(`${url}/mcp`, {
      method: 'POST',
      headers: { accept, authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
    });
    sent.once('error', reject);
    sent.once('response', (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    sent.end(body);
  });
}
