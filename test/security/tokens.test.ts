import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Answered, type People, type Person, people, untilThere } from './people.ts';

let all: People;
beforeAll(async () => {
  all = await people();
}, untilThere);
afterAll(() => all.leave());

const envelope = (status: number, code: string) => ({
  status,
  body: { code, message: expect.stringMatching(/\w/), details: expect.any(Array) },
});
const me = (person: Person) => person.ask('/api/me');

describe('who calls', () => {
  test('is told by the token, with the role of it, and nothing else', async () => {
    for (const [person, role] of [
      [all.viewer, 'viewer'],
      [all.editor, 'editor'],
      [all.admin, 'admin'],
    ] as const) {
      expect(await me(person)).toMatchObject({
        status: 200,
        body: {
          principal: { kind: 'token', name: `of ${person.name}` },
          workspace: { name: 'main' },
          role,
        },
      });
    }
    expect((await me(all.operator)).body).toMatchObject({ principal: { kind: 'operator' }, role: 'admin' });
  });

  test('is nobody without a token, with another scheme, and with one that is none', async () => {
    const { token } = all.admin;
    for (const authorization of [
      '',
      `Basic ${btoa(`admin:${token}`)}`,
      `${token}`,
      `Token ${token}`,
      'Bearer',
      `Bearer ${token}x`,
      `Bearer ${token?.slice(0, -1)}`,
      `Bearer ${token} ${token}`,
      'Bearer assay_',
    ]) {
      const answer = await all.ask('/api/me', { headers: authorization === '' ? {} : { authorization } });
      expect(answer, authorization).toMatchObject(envelope(401, 'unauthenticated'));
      expect(answer.headers.get('www-authenticate')).toBe('Bearer');
    }
    expect(await me(all.nobody)).toMatchObject(envelope(401, 'unauthenticated'));
    expect(await me(all.revoked)).toMatchObject(envelope(401, 'unauthenticated'));
  });

  test('means the workspace of their token where they name none', async () => {
    const named = await all.ask('/api/me', { headers: { authorization: `Bearer ${all.elsewhere.token}` } });
    expect(named.body).toMatchObject({ workspace: { name: 'elsewhere' }, role: 'admin' });
  });
});

describe('a token', () => {
  test('is refused at the next request after it was revoked, by its owner or an admin', async () => {
    const owner = await all.join('one', 'editor');
    const { id, token } = await owner.client.tokens.create({ name: 'second', role: 'viewer' });
    const second = () => all.ask('/api/me', { headers: { authorization: `Bearer ${token}` } });
    expect((await second()).status).toBe(200);
    await owner.client.tokens.revoke({ id });
    expect((await second()).status).toBe(401);
    expect((await me(owner)).status).toBe(200);
    const mine = (await all.admin.client.tokens.list({})).items.find(({ name }) => name === 'of one');
    await all.admin.client.tokens.revoke({ id: mine?.id ?? '' });
    expect((await me(owner)).status).toBe(401);
  });

  test('is refused when its time is over, and is listed no more', async () => {
    const { id, token } = await all.admin.client.tokens.create({
      name: 'short',
      role: 'viewer',
      expiresInDays: 1,
    });
    const short = () => all.ask('/api/me', { headers: { authorization: `Bearer ${token}` } });
    expect((await short()).status).toBe(200);
    await all.sql(`update api_token set expires_at = now() where id = '${id}'`);
    expect((await short()).status).toBe(401);
    expect((await all.admin.client.tokens.list({})).items.map((each) => each.id)).not.toContain(id);
    await all.sql(`update api_token set expires_at = null where id = '${id}'`);
    expect((await short()).status).toBe(200);
    await all.sql(`update api_key set expires_at = now() where name = 'short'`);
    expect((await short()).status).toBe(401);
  });

  test('may do no more than its owner may at that moment', async () => {
    const owner = await all.join('two', 'editor');
    const create = () =>
      owner.ask('/api/test-suites', { method: 'POST', body: { name: `${Math.random()}`, testCaseIds: [] } });
    expect((await create()).status).toBe(200);
    await all.operator.client.members.setRole({ userId: owner.userId, role: 'viewer' });
    expect(await create()).toMatchObject(envelope(403, 'forbidden'));
    expect((await me(owner)).body).toMatchObject({ role: 'viewer' });
    await all.operator.client.members.setRole({ userId: owner.userId, role: 'admin' });
    expect((await me(owner)).body).toMatchObject({ role: 'editor' });
    // a row that is gone is enough
    await all.sql(`delete from member where user_id = '${owner.userId}'`);
    expect((await me(owner)).status).toBe(401);
    await all.operator.client.members.add({ email: owner.email, role: 'editor' });
    expect((await me(owner)).status).toBe(200);
    await all.operator.client.members.remove({ userId: owner.userId });
    expect((await me(owner)).status).toBe(401);
    await all.operator.client.members.add({ email: owner.email, role: 'editor' });
    expect((await me(owner)).status).toBe(401);
  });

  test('knows its workspace alone: another one is answered like a missing one', async () => {
    const asked = (workspace: string) =>
      all.admin.ask('/api/test-suites', { headers: { 'assay-workspace': workspace } });
    const foreign = await asked('elsewhere');
    const missing = await asked('nowhere');
    expect(foreign).toMatchObject(envelope(404, 'not_found'));
    expect(JSON.stringify(foreign.body).replaceAll('elsewhere', 'nowhere')).toBe(
      JSON.stringify(missing.body),
    );
    expect((await all.admin.client.workspaces.list({})).items.map(({ name }) => name)).toEqual(['main']);
    expect(await all.elsewhere.ask('/api/me', { headers: { 'assay-workspace': 'main' } })).toMatchObject(
      envelope(404, 'not_found'),
    );
  });

  test('of another workspace is revoked by nobody here', async () => {
    const [theirs] = (await all.elsewhere.client.tokens.list({})).items;
    const revoke = (id: string) => all.admin.ask(`/api/tokens/${id}`, { method: 'DELETE' });
    const unknown = theirs?.id.replace(/.$/, (last) => (last === '0' ? '1' : '0')) ?? '';
    const [foreign, missing] = [await revoke(theirs?.id ?? ''), await revoke(unknown)];
    expect(foreign).toMatchObject(envelope(404, 'not_found'));
    expect(JSON.stringify(foreign.body).replaceAll(theirs?.id ?? '', unknown)).toBe(
      JSON.stringify(missing.body),
    );
    expect((await me(all.elsewhere)).status).toBe(200);
  });

  test('makes no wider one, none that outlasts it, and no members', async () => {
    const make = (person: Person, body: object): Promise<Answered> =>
      person.ask('/api/tokens', { method: 'POST', body: { name: 'made', ...body } });
    expect(await make(all.viewer, { role: 'editor' })).toMatchObject(envelope(403, 'forbidden'));
    expect(await make(all.editor, { role: 'admin' })).toMatchObject(envelope(403, 'forbidden'));
    for (const [method, path, body] of [
      ['POST', '/api/members', { email: 'x@assay.example', name: 'x', role: 'viewer' }],
      ['PUT', `/api/members/${all.viewer.userId}`, { role: 'admin' }],
      ['DELETE', `/api/members/${all.viewer.userId}`, undefined],
      ['POST', '/api/workspaces', { name: 'of a token', timeZone: 'UTC' }],
    ] as const) {
      expect(await all.admin.ask(path, { method, body }), path).toMatchObject(envelope(403, 'forbidden'));
    }

    const parent = await make(all.admin, { role: 'editor', expiresInDays: 2 });
    const { token, id, expiresAt } = parent.body as { token: string; id: string; expiresAt: string };
    const child = (body: object) =>
      all.ask('/api/tokens', {
        method: 'POST',
        headers: { authorization: `Bearer ${token}` },
        body: { name: 'child', role: 'viewer', ...body },
      });
    expect(await child({ expiresInDays: 3 })).toMatchObject(envelope(403, 'forbidden'));
    const made = (await child({})).body as { token: string; expiresAt: string; owner: { name: string } };
    expect(made.owner.name).toBe('admin');
    expect(Math.abs(Date.parse(made.expiresAt) - Date.parse(expiresAt))).toBeLessThan(5_000);
    const asked = { headers: { authorization: `Bearer ${made.token}` } };
    expect((await all.ask('/api/me', asked)).body).toMatchObject({ role: 'viewer' });
    await all.admin.client.tokens.revoke({ id });
    expect((await all.ask('/api/me', asked)).status).toBe(401);
  });

  test('sees and revokes itself and what it has made; its owner sees all of theirs, an admin those of all', async () => {
    const names = async (person: Person) =>
      (await person.client.tokens.list({})).items.map(({ name }) => name).toSorted();
    const owner = await all.join('three', 'viewer');
    await owner.client.tokens.create({ name: 'made by it', role: 'viewer' });
    const { body } = await all.ask('/api/tokens', {
      method: 'POST',
      headers: { cookie: owner.cookie, origin: all.url },
      body: { name: 'made in person', role: 'viewer' },
    });
    expect(await names(owner)).toEqual(['made by it', 'of three']);
    const person = await all.ask('/api/tokens', { headers: { cookie: owner.cookie } });
    expect((person.body as { items: { name: string }[] }).items.map(({ name }) => name).toSorted()).toEqual([
      'made by it',
      'made in person',
      'of three',
    ]);
    expect(await names(all.admin)).toEqual(
      expect.arrayContaining(['made in person', 'of three', 'of viewer']),
    );
    const other = (body as { id: string }).id;
    expect(await owner.ask(`/api/tokens/${other}`, { method: 'DELETE' })).toMatchObject(
      envelope(404, 'not_found'),
    );
    expect(await all.viewer.ask(`/api/tokens/${other}`, { method: 'DELETE' })).toMatchObject(
      envelope(404, 'not_found'),
    );
  });

  test('is good for any number of requests, and says when it was used last', async () => {
    const statuses = [];
    for (let count = 0; count < 30; count++) statuses.push((await me(all.viewer)).status);
    expect(statuses).toEqual(Array(30).fill(200));
    const mine = (await all.viewer.client.tokens.list({})).items.find(({ name }) => name === 'of viewer');
    expect(Date.parse(mine?.lastUsedAt ?? '')).toBeGreaterThan(Date.parse(mine?.createdAt ?? ''));
  });

  test('of the operator belongs to an account with which nobody can sign in', async () => {
    const made = await all.operator.client.tokens.create({ name: 'of the operator', role: 'admin' });
    expect(made.owner.name).toBe('local operator');
    const authorization = `Bearer ${made.token}`;
    expect((await all.ask('/api/me', { headers: { authorization } })).body).toMatchObject({
      principal: { kind: 'token' },
      workspace: { name: 'main' },
      role: 'admin',
    });
    const signIn = (body: object) => all.ask('/api/auth/sign-in/email', { method: 'POST', body });
    for (const credentials of [
      { email: 'operator', password: '' },
      { email: 'operator', password: made.token },
    ]) {
      expect(await signIn(credentials)).toMatchObject(envelope(401, 'unauthenticated'));
    }
    const listed = (await all.operator.client.members.list({})).items.map(({ name }) => name);
    expect(listed).not.toContain('local operator');
  });
});
