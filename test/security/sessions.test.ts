import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Asked, cookieOf, type Member, type People, password, people, untilThere } from './people.ts';

let all: People;
beforeAll(async () => {
  all = await people();
}, untilThere);
afterAll(() => all.leave());
// each test may sign in as often as one place may in a minute
beforeEach(() => all.sql('delete from auth_rate_limit').then(() => undefined));

const envelope = (status: number, code: string) => ({
  status,
  body: { code, message: expect.stringMatching(/\w/), details: expect.any(Array) },
});
const signIn = (credentials: unknown, headers: Record<string, string> = {}) =>
  all.ask('/api/auth/sign-in/email', { method: 'POST', body: credentials, headers });
const suite = (): Asked => ({ method: 'POST', body: { name: `suite ${Math.random()}`, testCaseIds: [] } });
const as = (cookie: string, path: string, asked: Asked = {}) =>
  all.ask(path, { ...asked, headers: { cookie, ...asked.headers } });

describe('a session', () => {
  test('begins with address and password, and is kept in a cookie that no script reads and no other site sends', async () => {
    const answer = await signIn({ email: 'EDITOR@assay.example', password });
    expect(answer).toMatchObject({
      status: 200,
      body: { user: { id: all.editor.userId, name: 'editor', email: 'editor@assay.example' } },
    });
    expect(Object.keys(answer.body as object)).toEqual(['user']);
    expect(answer.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^assay\.session_token=\S+; Max-Age=604800; Path=\/; HttpOnly; SameSite=Strict$/),
    ]);
    const cookie = cookieOf(answer);
    expect(await as(cookie, '/api/me')).toMatchObject({
      status: 200,
      body: {
        principal: { kind: 'user', id: all.editor.userId, name: 'editor' },
        workspace: { name: 'main' },
        role: 'editor',
      },
    });
    expect(await as(cookie, '/api/auth/get-session')).toMatchObject({
      body: { user: { email: 'editor@assay.example' }, expiresAt: expect.stringMatching(/Z$/) },
    });
  });

  test('is sent by https alone where the browser came by it', async () => {
    const host = new URL(all.url).host;
    const answer = await signIn({ email: all.editor.email, password }, { origin: `https://${host}` });
    expect(answer.headers.getSetCookie()).toEqual([expect.stringMatching(/; SameSite=Strict; Secure$/)]);
  });

  test('means the workspace that its person is in, where the default one is none of theirs', async () => {
    expect((await as(all.elsewhere.cookie, '/api/me')).body).toMatchObject({
      workspace: { name: 'elsewhere' },
      role: 'admin',
    });
  });

  test('has ended for whoever stole its cookie, once its person has signed out', async () => {
    const stolen = cookieOf(await signIn({ email: all.viewer.email, password }));
    expect((await as(stolen, '/api/me')).status).toBe(200);
    const out = await as(stolen, '/api/auth/sign-out', { method: 'POST', headers: { origin: all.url } });
    expect(out).toMatchObject({ status: 200, body: {} });
    expect(out.headers.getSetCookie().join()).toMatch(/session_token=; Max-Age=0/);
    expect(await as(stolen, '/api/me')).toMatchObject(envelope(401, 'unauthenticated'));
    expect((await as(stolen, '/api/auth/get-session')).body).toEqual({ user: null, expiresAt: null });
    expect((await as(all.viewer.cookie, '/api/me')).status).toBe(200);
  });

  test('has ended when its time is over', async () => {
    const cookie = cookieOf(await signIn({ email: all.viewer.email, password }));
    await all.sql(
      `update auth_session set expires_at = now() where id = (select id from auth_session order by created_at desc limit 1)`,
    );
    expect((await as(cookie, '/api/me')).status).toBe(401);
  });

  test('is made up by nobody', async () => {
    const [name, value = ''] = all.admin.cookie.split('=');
    const [token, signature] = decodeURIComponent(value).split('.');
    const other = signature?.replace(/^./, (first) => (first === 'A' ? 'B' : 'A'));
    for (const forged of [token, `${token}.`, `${token}.${other}`, `x.${signature}`, '', 'null']) {
      const cookie = `${name}=${encodeURIComponent(forged ?? '')}`;
      expect(await as(cookie, '/api/me'), cookie).toMatchObject(envelope(401, 'unauthenticated'));
    }
  });

  test('has the role that its person has at that moment', async () => {
    const person = await all.join('changing', 'editor');
    const create = () => as(person.cookie, '/api/test-suites', { ...suite(), headers: { origin: all.url } });
    expect((await create()).status).toBe(200);
    await all.operator.client.members.setRole({ userId: person.userId, role: 'viewer' });
    expect(await create()).toMatchObject(envelope(403, 'forbidden'));
    await all.operator.client.members.remove({ userId: person.userId });
    expect(await create()).toMatchObject(envelope(404, 'not_found'));
  });
});

describe('with the cookie of a session', () => {
  const write = (headers: Record<string, string>) =>
    as(all.editor.cookie, '/api/test-suites', { ...suite(), headers });

  test('only pages of this server write', async () => {
    const { port, host } = new URL(all.url);
    expect((await write({ origin: all.url })).status).toBe(200);
    for (const origin of [
      'http://evil.example',
      'null',
      `http://127.0.0.1.evil.example:${port}`,
      `http://localhost:${port}`,
      `http://127.0.0.1:${Number(port) + 1}`,
      'http://127.0.0.1',
      `http://evil.example/${host}`,
    ]) {
      expect(await write({ origin }), origin).toMatchObject(envelope(403, 'forbidden'));
    }
    expect(await write({})).toMatchObject(envelope(403, 'forbidden'));
    expect(await write({ referer: `${all.url}/page` })).toMatchObject(envelope(403, 'forbidden'));
    expect((await as(all.editor.cookie, '/api/test-suites')).status).toBe(200);
  });

  test('nothing but JSON writes', async () => {
    const before = (await all.editor.client.testSuites.list({})).items.length;
    for (const type of [
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'text/plain',
      'text/plain; application/json',
    ]) {
      const answer = await write({ origin: all.url, 'content-type': type });
      expect(answer, type).toMatchObject(envelope(400, 'invalid_input'));
      expect(answer.body, type).toMatchObject({ details: [{ field: 'content-type' }] });
    }
    expect((await all.editor.client.testSuites.list({})).items).toHaveLength(before);
  });

  test('no other token counts: a wrong one is not made up for', async () => {
    expect(
      await as(all.editor.cookie, '/api/me', { headers: { authorization: 'Bearer wrong' } }),
    ).toMatchObject(envelope(401, 'unauthenticated'));
  });

  test('nobody else signs the person out or changes their password', async () => {
    const passwords = { currentPassword: password, newPassword: 'what the attacker wants' };
    for (const origin of ['http://evil.example', `http://127.0.0.1:1`, 'null']) {
      for (const path of ['/api/auth/sign-out', '/api/auth/change-password']) {
        const answer = await as(all.editor.cookie, path, {
          method: 'POST',
          body: passwords,
          headers: { origin },
        });
        expect(answer, `${origin} ${path}`).toMatchObject(envelope(403, 'forbidden'));
      }
    }
    const bare = await as(all.editor.cookie, '/api/auth/change-password', {
      method: 'POST',
      body: passwords,
    });
    expect(bare).toMatchObject(envelope(403, 'forbidden'));
    expect((await as(all.editor.cookie, '/api/me')).status).toBe(200);
  });
});

describe('signing in', () => {
  test('is refused in the same words for an unknown address and a wrong password', async () => {
    const wrong = await signIn({ email: all.admin.email, password: 'not the password' });
    const unknown = await signIn({ email: 'unknown@assay.example', password: 'not the password' });
    const noAddress = await signIn({ email: 'unknown', password });
    const invited = await all.operator.client.members.add({
      email: 'invited@assay.example',
      name: 'x',
      role: 'viewer',
    });
    expect(invited.link).toMatch(/\/join\?token=/);
    const notYet = await signIn({ email: 'invited@assay.example', password: '' });
    expect(wrong).toMatchObject(envelope(401, 'unauthenticated'));
    expect([unknown.body, noAddress.body, notYet.body]).toEqual(Array(3).fill(wrong.body));
    for (const { headers } of [wrong, unknown, notYet]) expect(headers.getSetCookie()).toEqual([]);
  });

  test('repeats nothing of what was sent', async () => {
    for (const body of [
      { email: 7, password: ['canary'] },
      { password: 'canary' },
      ['canary'],
      'canary',
      { email: 'x', password: 'y', canary: 'canary' },
    ]) {
      const answer = await signIn(body);
      expect(answer).toMatchObject(envelope(400, 'invalid_input'));
      expect(
        JSON.stringify(answer.body).replace('"field":"canary"', '').replace('canary is not', ''),
      ).not.toContain('canary');
    }
  });

  test('leads nowhere else, and no account is made over HTTP', async () => {
    const elsewhere = await signIn({ email: all.admin.email, password, callbackURL: 'http://evil.example' });
    expect(elsewhere).toMatchObject(envelope(400, 'invalid_input'));
    const account = { name: 'x', email: 'made@assay.example', password };
    for (const path of [
      'sign-up/email',
      'request-password-reset',
      'reset-password',
      'update-user',
      'delete-user',
      'list-sessions',
      'api-key/create',
      'api-key/list',
      'api-key/update',
      'ok',
      'error',
    ]) {
      for (const method of ['GET', 'POST']) {
        const answer = await as(all.admin.cookie, `/api/auth/${path}`, {
          method,
          headers: { origin: all.url },
          ...(method === 'POST' ? { body: account } : {}),
        });
        expect(answer, `${method} ${path}`).toMatchObject(envelope(404, 'not_found'));
      }
    }
    expect(await signIn({ email: account.email, password })).toMatchObject(envelope(401, 'unauthenticated'));
  });
});

test('a password has at least 12 characters, and changing it ends the other sessions', async () => {
  const person: Member = await all.join('forgetful', 'viewer');
  const change = (passwords: object, cookie = person.cookie) =>
    as(cookie, '/api/auth/change-password', {
      method: 'POST',
      body: passwords,
      headers: { origin: all.url },
    });
  expect(await change({ currentPassword: password, newPassword: 'x'.repeat(11) })).toMatchObject({
    status: 400,
    body: { details: [{ field: 'newPassword', message: 'must have at least 12 characters' }] },
  });
  expect(await change({ currentPassword: 'wrong', newPassword: 'x'.repeat(12) })).toMatchObject({
    status: 400,
    body: { details: [{ field: 'currentPassword' }] },
  });
  const answer = await change({ currentPassword: password, newPassword: 'x'.repeat(12) });
  expect(answer).toMatchObject({ status: 200, body: {} });
  expect((await as(person.cookie, '/api/me')).status).toBe(401);
  expect((await as(cookieOf(answer), '/api/me')).status).toBe(200);
  expect((await signIn({ email: person.email, password })).status).toBe(401);
  expect((await signIn({ email: person.email, password: 'x'.repeat(12) })).status).toBe(200);
});

test('after ten attempts in a minute the next is refused, whatever the address, in the envelope', async () => {
  const statuses = [];
  for (let count = 0; count < 10; count++) {
    statuses.push((await signIn({ email: `guess${count}@assay.example`, password: 'guess' })).status);
  }
  expect(statuses).toEqual(Array(10).fill(401));
  // what a caller says of itself counts for nothing
  const refused = await signIn(
    { email: all.admin.email, password },
    { 'x-forwarded-for': '192.0.2.7', 'assay-address': '192.0.2.7' },
  );
  expect(refused).toMatchObject(envelope(429, 'rate_limited'));
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect((await as(all.admin.cookie, '/api/me')).status).toBe(200);
});
