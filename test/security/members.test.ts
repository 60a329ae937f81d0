import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Asked, cookieOf, type Member, type People, password, people, untilThere } from './people.ts';

let all: People;
beforeAll(async () => {
  all = await people();
}, untilThere);
afterAll(() => all.leave());
beforeEach(() => all.sql('delete from auth_rate_limit').then(() => undefined));

const envelope = (status: number, code: string) => ({
  status,
  body: { code, message: expect.stringMatching(/\w/), details: expect.any(Array) },
});
/** A request of somebody in their browser. */
const as = ({ cookie, workspaceId }: Member, path: string, asked: Asked = {}) =>
  all.ask(path, {
    ...asked,
    headers: { cookie, origin: all.url, 'assay-workspace': workspaceId, ...asked.headers },
  });
const add = (by: Member, body: object) => as(by, '/api/members', { method: 'POST', body });
const setRole = (by: Member, { userId }: { userId: string }, role: string) =>
  as(by, `/api/members/${userId}`, { method: 'PUT', body: { role } });
const remove = (by: Member, { userId }: { userId: string }) =>
  as(by, `/api/members/${userId}`, { method: 'DELETE' });
const tokenOf = (link: unknown) => new URL(link as string).searchParams.get('token') ?? '';
const auditOf = async (workspaceId: string) =>
  (
    await all.sql(
      `select action, object_name from audit_entry where workspace_id = '${workspaceId}' order by id`,
    )
  ).map(({ action, object_name }) => `${action} ${object_name}`);

describe('members', () => {
  test('are seen by all of them, changed by admins, and leave audit rows', async () => {
    const workspace = await all.operator.client.workspaces.create({ name: 'audited', timeZone: 'UTC' });
    const boss = await all.join('boss', 'admin', workspace.id);
    const added = await add(boss, { email: 'New@Assay.example', name: 'New', role: 'viewer' });
    expect(added).toMatchObject({
      status: 200,
      body: { name: 'New', email: 'new@assay.example', role: 'viewer', link: expect.any(String) },
    });
    const { userId } = added.body as { userId: string };
    await add(boss, { email: 'new@assay.example', role: 'viewer' });
    expect(await setRole(boss, { userId }, 'editor')).toMatchObject({
      status: 200,
      body: { role: 'editor' },
    });
    const listed = await as(boss, '/api/members');
    expect(listed.body).toMatchObject({
      items: [
        { email: 'boss@assay.example', role: 'admin' },
        { email: 'new@assay.example', role: 'editor' },
      ],
      nextCursor: null,
    });
    expect(await remove(boss, { userId })).toMatchObject({ status: 200, body: { userId } });
    expect(await remove(boss, { userId })).toMatchObject(envelope(404, 'not_found'));
    expect(await auditOf(workspace.id)).toEqual([
      'workspace.create audited',
      'member.add boss@assay.example',
      'member.join boss@assay.example',
      'token.create of boss',
      'member.add new@assay.example',
      'member.invite new@assay.example',
      'member.set-role new@assay.example',
      'member.remove new@assay.example',
    ]);
    for (const [person, status] of [
      [all.viewer, 403],
      [all.editor, 403],
    ] as const) {
      expect((await as(person, '/api/members')).status).toBe(200);
      expect((await add(person, { email: 'x@assay.example', name: 'x', role: 'viewer' })).status).toBe(
        status,
      );
      expect((await setRole(person, person, 'admin')).status).toBe(status);
      expect((await remove(person, all.admin)).status).toBe(status);
    }
  });

  test('of another workspace are answered like nobody', async () => {
    const unknown = { userId: all.elsewhere.userId.replace(/.$/, (last) => (last === '0' ? '1' : '0')) };
    for (const change of [remove, (by: Member, who: { userId: string }) => setRole(by, who, 'viewer')]) {
      const [foreign, missing] = [await change(all.admin, all.elsewhere), await change(all.admin, unknown)];
      expect(foreign).toMatchObject(envelope(404, 'not_found'));
      expect(JSON.stringify(foreign.body).replaceAll(all.elsewhere.userId, unknown.userId)).toBe(
        JSON.stringify(missing.body),
      );
    }
    expect((await as(all.elsewhere, '/api/me')).body).toMatchObject({ role: 'admin' });
  });

  test('come in pages', async () => {
    const first = await all.operator.client.members.list({ limit: 2 });
    expect(first.items).toHaveLength(2);
    const second = await all.operator.client.members.list({ limit: 2, cursor: first.nextCursor ?? '' });
    const ids = [...first.items, ...second.items].map(({ userId }) => userId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(await all.operator.ask('/api/members?cursor=x')).toMatchObject(envelope(400, 'invalid_input'));
  });

  test('keep an admin: the last one is not removed, made less, or gone, also when two go at once', async () => {
    const workspace = await all.operator.client.workspaces.create({ name: 'two admins', timeZone: 'UTC' });
    const [one, two] = [
      await all.join('first', 'admin', workspace.id),
      await all.join('second', 'admin', workspace.id),
    ];
    for (let round = 0; round < 8; round++) {
      const answers = await Promise.all(
        round % 2 === 0
          ? [setRole(one, one, 'viewer'), setRole(two, two, 'viewer')]
          : [remove(one, one), setRole(two, two, 'editor')],
      );
      expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 422]);
      const admins = (await all.sql(
        `select user_id from member where workspace_id = '${workspace.id}' and role = 'admin'`,
      )) as { user_id: string }[];
      expect(admins).toHaveLength(1);
      const left = admins[0]?.user_id === one.userId ? one : two;
      expect(await remove(left, left)).toMatchObject(envelope(422, 'rule_violated'));
      expect(await setRole(left, left, 'viewer')).toMatchObject(envelope(422, 'rule_violated'));
      await all.sql(
        `insert into member (workspace_id, user_id, role) values ('${workspace.id}', '${one.userId}', 'admin'), ('${workspace.id}', '${two.userId}', 'admin') on conflict (workspace_id, user_id) do update set role = 'admin'`,
      );
    }
    expect((await remove(one, one)).status).toBe(200);
  });

  test('keep an admin who can sign in: who has not chosen a password yet does not count', async () => {
    const workspace = await all.operator.client.workspaces.create({ name: 'one of two', timeZone: 'UTC' });
    const only = await all.join('only', 'admin', workspace.id);
    const { body } = await add(only, { email: 'not-yet@assay.example', name: 'N', role: 'admin' });
    const pending = body as { userId: string; link: string };
    for (const refused of [await remove(only, only), await setRole(only, only, 'editor')]) {
      expect(refused).toMatchObject(envelope(422, 'rule_violated'));
      expect(refused.body).toMatchObject({
        message: expect.stringContaining('last admin of the workspace "one of two" who can sign in'),
      });
    }
    expect((await setRole(only, pending, 'viewer')).status).toBe(200);
    expect((await setRole(only, pending, 'admin')).status).toBe(200);
    expect((await all.submit('/join', { token: tokenOf(pending.link), password })).status).toBe(200);
    expect((await setRole(only, only, 'editor')).status).toBe(200);
  });

  test('are added with all that belongs to it, or not at all', async () => {
    await all.sql(
      `alter table audit_entry add constraint no_audit check (action <> 'member.add') not valid`,
      'owner',
    );
    try {
      const failed = await add(all.admin, { email: 'half@assay.example', name: 'H', role: 'viewer' });
      expect(failed).toMatchObject(envelope(500, 'internal'));
    } finally {
      await all.sql('alter table audit_entry drop constraint no_audit', 'owner');
    }
    const left = await all.sql(`select id from auth_user where email = 'half@assay.example'`);
    expect(left).toEqual([]);
  });
});

describe('an invitation', () => {
  test('lets somebody new choose a password of at least 12 characters, once', async () => {
    const { body } = await add(all.admin, {
      email: 'grace@assay.example',
      name: 'Grace <i>',
      role: 'editor',
    });
    const { link } = body as { link: string };
    expect(link).toMatch(new RegExp(`^${all.url}/join\\?token=[\\w-]{43}$`));
    const token = tokenOf(link);
    const page = await all.ask(`/join?token=${token}`);
    expect(page.status).toBe(200);
    expect(page.body).toContain('grace@assay.example');
    expect(page.headers.get('content-security-policy')).toMatch(/default-src 'none'/);
    expect(page.headers.get('content-security-policy')).not.toMatch(/script|unsafe/);
    const short = await all.submit('/join', { token, password: 'x'.repeat(11) });
    expect(short).toMatchObject({ status: 400, body: expect.stringContaining('at least 12 characters') });
    const chosen = await all.submit('/join', { token, password });
    expect(chosen.status).toBe(200);
    expect(chosen.body).toContain('Welcome, Grace &lt;i&gt;');
    const me = await all.ask('/api/me', { headers: { cookie: cookieOf(chosen) } });
    expect(me.body).toMatchObject({ principal: { kind: 'user', name: 'Grace <i>' }, role: 'editor' });
    for (const again of [
      await all.ask(`/join?token=${token}`),
      await all.submit('/join', { token, password }),
    ]) {
      expect(again.status).toBe(404);
      expect(again.headers.getSetCookie()).toEqual([]);
    }
  });

  test('is not sent by another page', async () => {
    const { body } = await add(all.admin, { email: 'linus@assay.example', name: 'L', role: 'viewer' });
    const token = tokenOf((body as { link: string }).link);
    const foreign = await all.submit('/join', { token, password }, { origin: 'http://evil.example' });
    expect(foreign).toMatchObject(envelope(403, 'forbidden'));
    expect((await all.submit('/join', { token, password })).status).toBe(200);
  });

  test('is spent by one of two who send it at once', async () => {
    const { body } = await add(all.admin, { email: 'race@assay.example', name: 'R', role: 'viewer' });
    const token = tokenOf((body as { link: string }).link);
    const answers = await Promise.all(
      [0, 1, 2].map((number) => all.submit('/join', { token, password: `${password} ${number}` })),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 404, 404]);
  });

  test('ends after seven days, by the next one, and with the membership', async () => {
    const invite = async (email: string) => {
      const { status, body } = await add(all.admin, { email, name: 'I', role: 'viewer' });
      expect(status).toBe(200);
      const { link, userId } = body as { link: string; userId: string };
      return { token: tokenOf(link), userId };
    };
    const old = await invite('late@assay.example');
    const [row] = await all.sql(
      `select extract(epoch from expires_at - now()) / 86400 as days from one_time_link where user_id = '${old.userId}'`,
    );
    expect(Number(row?.days)).toBeGreaterThan(6.99);
    expect(Number(row?.days)).toBeLessThanOrEqual(7);
    await all.sql(`update one_time_link set expires_at = now() where user_id = '${old.userId}'`);
    expect((await all.submit('/join', { token: old.token, password })).status).toBe(404);
    const next = await invite('late@assay.example');
    const last = await invite('late@assay.example');
    expect((await all.submit('/join', { token: next.token, password })).status).toBe(404);
    await remove(all.admin, last);
    expect((await all.submit('/join', { token: last.token, password })).status).toBe(404);
    const back = await invite('late@assay.example');
    expect((await all.submit('/join', { token: back.token, password })).status).toBe(200);
  });

  test('is given for nobody who has an account, and signs in as none of them', async () => {
    const known = await add(all.elsewhere, { email: all.editor.email, role: 'viewer' });
    expect(known).toMatchObject({ status: 200, body: { name: 'editor', link: null } });
    expect(await add(all.admin, { email: all.editor.email, role: 'editor' })).toMatchObject(
      envelope(409, 'conflict'),
    );
    const { body } = await add(all.admin, { email: 'first@assay.test', name: 'F', role: 'viewer' });
    const { link, userId } = body as { link: string; userId: string };
    await all.sql(
      `insert into auth_account (id, user_id, account_id, provider_id, password) values (gen_random_uuid(), '${userId}', '${userId}', 'credential', 'x')`,
    );
    const late = await all.submit('/join', { token: tokenOf(link), password });
    expect(late.status).toBe(404);
    expect(late.headers.getSetCookie()).toEqual([]);
  });

  test('of somebody who was invited elsewhere is no way to become them', async () => {
    const theirs = await add(all.elsewhere, { email: 'shared@assay.example', name: 'S', role: 'admin' });
    expect(theirs.body).toMatchObject({ link: expect.any(String) });
    const ours = await add(all.admin, { email: 'shared@assay.example', role: 'viewer' });
    expect(ours).toMatchObject({ status: 200, body: { link: null } });
    const { body } = await all.operator.ask('/api/members', {
      method: 'POST',
      body: { email: 'shared@assay.example', role: 'viewer' },
    });
    expect(body).toMatchObject({ link: expect.any(String) });
  });

  test('of one workspace is no way to become somebody of another, where they were added later', async () => {
    const other = await all.operator.client.workspaces.create({ name: 'added later', timeZone: 'UTC' });
    const there = await all.join('there', 'admin', other.id);
    for (const [email, addThere] of [
      ['ceo@assay.example', (body: object) => add(all.elsewhere, { ...body, role: 'viewer' })],
      [
        'chair@assay.example',
        async (body: object, who: { userId: string }) => {
          await add(all.elsewhere, { ...body, role: 'viewer' });
          return setRole(all.elsewhere, who, 'admin');
        },
      ],
      [
        'owner@assay.example',
        async (body: object) => {
          const made = await as(there, '/api/workspaces', {
            method: 'POST',
            body: { name: 'made later', timeZone: 'UTC' },
          });
          const { id } = made.body as { id: string };
          return add({ ...there, workspaceId: id }, { ...body, role: 'admin' });
        },
      ],
    ] as const) {
      const { body } = await add(all.admin, { email, name: 'C', role: 'viewer' });
      const { link, userId } = body as { link: string; userId: string };
      const token = tokenOf(link);
      expect((await all.ask(`/join?token=${token}`)).status, email).toBe(200);
      expect((await addThere({ email }, { userId })).status, email).toBe(200);
      for (const late of [
        await all.ask(`/join?token=${token}`),
        await all.submit('/join', { token, password }),
      ]) {
        expect(late.status, email).toBe(404);
        expect(late.headers.getSetCookie()).toEqual([]);
      }
    }
  });

  test('is good for as long as whoever made it is admin wherever the person is a member', async () => {
    const both = await all.join('both', 'admin');
    const shared = { email: both.email, role: 'admin' };
    expect((await add(all.elsewhere, shared)).status).toBe(200);
    const { body } = await add(both, { email: 'trusted@assay.example', name: 'T', role: 'viewer' });
    const token = tokenOf((body as { link: string }).link);
    const status = async () => (await all.ask(`/join?token=${token}`)).status;
    expect((await add(all.elsewhere, { email: 'trusted@assay.example', role: 'viewer' })).body).toMatchObject(
      { link: null },
    );
    expect(await status()).toBe(200);
    await setRole(all.elsewhere, both, 'editor');
    expect(await status()).toBe(404);
    await setRole(all.elsewhere, both, 'admin');
    expect(await status()).toBe(200);
    await remove(all.admin, both);
    expect((await all.submit('/join', { token, password })).status).toBe(404);
  });

  test('needs the name of somebody new, and an address', async () => {
    expect(await add(all.admin, { email: 'nameless@assay.example', role: 'viewer' })).toMatchObject({
      status: 400,
      body: { details: [{ field: 'name', message: 'is needed for somebody who has no account yet' }] },
    });
    expect(await add(all.admin, { email: 'operator', name: 'x', role: 'viewer' })).toMatchObject(
      envelope(400, 'invalid_input'),
    );
  });
});
