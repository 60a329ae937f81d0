import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { cookieOf, type People, password, people, untilThere } from './people.ts';

let all: People;
beforeAll(async () => {
  all = await people();
}, untilThere);
afterAll(() => all.leave());

/** What nobody may read anywhere, by what it is. */
async function secrets(): Promise<Record<string, string>> {
  const wrong = 'a wrong password that was typed';
  const signIn = (body: object) => all.ask('/api/auth/sign-in/email', { method: 'POST', body });
  const session = cookieOf(await signIn({ email: all.admin.email, password }));
  await signIn({ email: all.admin.email, password: wrong });
  await signIn({ email: wrong, password: 7 });
  await all.ask(`/join?token=${wrong}`);
  await all.ask('/api/me', { headers: { authorization: 'Bearer assay_not_a_token_at_all' } });
  await all.ask('/api/me', { headers: { cookie: `${session}x` } });
  const { link } = await all.operator.client.members.add({
    email: 'invited@assay.example',
    name: 'Invited',
    role: 'viewer',
  });
  const invitation = new URL(link ?? '').searchParams.get('token') ?? '';
  await all.ask(`/join?token=${invitation}`);
  await all.submit('/join', { token: invitation, password: 'short' });
  const [, value = ''] = session.split('=');
  const [token = '', signature = ''] = decodeURIComponent(value).split('.');
  return {
    'a password': password,
    'a wrong password': wrong,
    'the operator token': all.operator.token ?? '',
    'a token': all.editor.token ?? '',
    'a revoked token': all.revoked.token ?? '',
    'an unknown token': 'not_a_token_at_all',
    'what a session is known by': token,
    'the signature of its cookie': signature,
    'the token of an invitation': invitation,
    'the secret key': (await readFile(join(all.place.home, 'secret-key'), 'utf8')).trim(),
  };
}

test('no password, token or cookie stands in the database, in an answer about them, or in the log', async () => {
  const known = await secrets();
  expect(Object.values(known).every((secret) => secret.length > 12)).toBe(true);

  const tables = await all.sql(
    `select format('%I.%I', schemaname, tablename) as name, has_table_privilege('assay_system', format('%I.%I', schemaname, tablename), 'select') as readable
     from pg_tables where schemaname in ('assay', 'pgboss')`,
    'owner',
  );
  let dump = '';
  for (const { name, readable } of tables) {
    // each table by a role that no policy hides rows from
    dump += JSON.stringify(await all.sql(`select * from ${name}`, readable === true ? 'system' : 'owner'));
  }
  expect(dump).toContain('admin@assay.example');
  const said = JSON.stringify([
    (await all.admin.ask('/api/members')).body,
    (await all.admin.ask('/api/tokens')).body,
    (await all.admin.ask('/api/audit-log?limit=200')).body,
    (await all.admin.ask('/api/export')).body,
    (await all.ask('/api/auth/get-session', { headers: { cookie: all.admin.cookie } })).body,
  ]);
  expect(said).toContain('token.create');

  all.server.process.kill('SIGTERM');
  const { stdout, stderr } = await all.server.ended;
  expect(stderr).toContain('/api/auth/sign-in/email');
  for (const [what, secret] of Object.entries(known)) {
    expect(dump.includes(secret), `${what} in the database`).toBe(false);
    expect(said.includes(secret), `${what} in an answer`).toBe(false);
    expect(`${stdout}${stderr}`.includes(secret), `${what} in the log`).toBe(false);
  }
});

test('the role that operations run as reads no account, key or link, and the members of one workspace alone', async () => {
  for (const table of [
    'auth_user',
    'auth_session',
    'auth_account',
    'auth_verification',
    'auth_rate_limit',
    'api_key',
    'one_time_link',
  ]) {
    await expect(all.sql(`select * from ${table}`, 'app'), table).rejects.toThrow(/permission denied/);
    await expect(all.sql(`delete from ${table}`, 'app'), table).rejects.toThrow(/permission denied/);
  }
  for (const table of ['member', 'api_token']) {
    expect(await all.sql(`select * from ${table}`), table).not.toEqual([]);
    expect(await all.sql(`select * from ${table}`, 'app'), table).toEqual([]);
    const [forced] = await all.sql(
      `select relforcerowsecurity as it from pg_class where relname = '${table}'`,
    );
    expect(forced?.it).toBe(true);
  }
});
