import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type NounWorld, nounWorld } from '../../../../test/noun-world.ts';
import { AssayError } from '../../../core/errors.ts';
import { systemRandom } from '../../../net/system-ports.ts';
import { insertAccount, insertPassword, operatorAccountId } from '../../../store/account.ts';
import { type Accounts, type Client, openAccounts } from './accounts.ts';
import { openBetterAuth } from './better-auth.ts';

const here: Client = { address: '192.0.2.1', forwardedFor: null, userAgent: 'test' };
const ada = { id: systemRandom.id(), name: 'Ada', email: 'ada@assay.example' };
const password = 'correct horse battery';

let world: NounWorld;
let accounts: Accounts;
beforeAll(async () => {
  world = await nounWorld();
  accounts = await world.context().program.accounts();
  const { system } = world.database;
  await insertAccount(system, ada);
  const hash = await accounts.hashPassword(password);
  await insertPassword(system, { id: systemRandom.id(), accountId: ada.id, hash });
});
afterAll(() => world.close());

const cookieOf = (cookies: string[]) => cookies.map((cookie) => cookie.split(';')[0]).join('; ');
const refusalOf = (work: Promise<unknown>) =>
  work.then(
    () => ({ code: 'accepted' }),
    ({ code, message, details }) => ({ code, message, details }),
  );

test('the tables of the migration are what this better-auth works with', async () => {
  const { $context } = openBetterAuth({
    database: world.database,
    secret: 'x'.repeat(32),
    newId: systemRandom.id,
    trustedProxies: [],
    report: () => {},
  });
  const { checkSchema } = (await $context) as unknown as { checkSchema(): Promise<void> | undefined };
  expect(checkSchema).toBeTypeOf('function');
  await checkSchema();
});

describe('a session', () => {
  test('begins with the password, whatever the case of the address, and ends by signing out', async () => {
    const { account, cookies } = await accounts.signIn({ email: 'Ada@Assay.example', password }, here);
    expect(account).toEqual(ada);
    expect(cookies).toEqual([
      expect.stringMatching(/^assay\.session_token=\S+; Max-Age=604800; Path=\/; HttpOnly; SameSite=Strict$/),
    ]);
    const cookie = cookieOf(cookies);
    expect(await accounts.session(cookie)).toEqual(ada);
    expect(await accounts.session(cookie.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')))).toBeNull();
    const out = await accounts.signOut(cookie);
    expect(out.cookies.join()).toMatch(/session_token=; Max-Age=0/);
    expect(await accounts.session(cookie)).toBeNull();
  });

  test('is stored as a hash', async () => {
    const cookie = cookieOf((await accounts.signIn({ email: ada.email, password }, here)).cookies);
    const token = decodeURIComponent(cookie.split('=')[1] ?? '').split('.')[0] ?? '';
    expect(token.length).toBeGreaterThan(20);
    const { rows } = await world.database.systemPool.query('select * from auth_session');
    expect(rows.length).toBeGreaterThan(0);
    expect(JSON.stringify(rows)).not.toContain(token);
  });

  test('lasts a week, and longer when it is renewed', async () => {
    const cookie = cookieOf((await accounts.signIn({ email: ada.email, password }, here)).cookies);
    const shift = (interval: string) =>
      world.database.systemPool.query(
        `update auth_session set expires_at = expires_at - interval '${interval}'`,
      );
    await shift('2 days');
    const renewed = await accounts.renewedSession(cookie);
    expect(renewed?.account).toEqual(ada);
    const days = ((renewed?.expiresAt.getTime() ?? 0) - Date.now()) / 86_400_000;
    expect(days).toBeGreaterThan(6.9);
    expect(renewed?.cookies.join()).toContain('session_token=');
    await shift('8 days');
    expect(await accounts.session(cookie)).toBeNull();
    expect(await accounts.renewedSession(cookie)).toBeNull();
  });

  test('of others ends when the password is changed', async () => {
    const [mine, other] = await Promise.all(
      [0, 1].map(async () =>
        cookieOf(
          (await accounts.signIn({ email: ada.email, password }, { ...here, address: '192.0.2.9' })).cookies,
        ),
      ),
    );
    const wrong = { currentPassword: 'not the password', newPassword: 'another long password' };
    expect(await refusalOf(accounts.changePassword(wrong, mine ?? '', here))).toMatchObject({
      code: 'invalid_input',
      details: [{ field: 'currentPassword', message: 'is not your password' }],
    });
    const right = { currentPassword: password, newPassword: 'another long password' };
    expect(await refusalOf(accounts.changePassword(right, 'assay.session_token=x', here))).toMatchObject({
      code: 'unauthenticated',
    });
    const { cookies } = await accounts.changePassword(right, mine ?? '', here);
    expect(await accounts.session(cookieOf(cookies))).toEqual(ada);
    expect(await accounts.session(other ?? '')).toBeNull();
    const back = { currentPassword: 'another long password', newPassword: password };
    await accounts.changePassword(back, cookieOf(cookies), here);
  });
});

test('an unknown address and a wrong password are refused in the same words, and the operator cannot sign in', async () => {
  const there = { ...here, address: '192.0.2.2' };
  const wrong = await refusalOf(accounts.signIn({ email: ada.email, password: 'something else' }, there));
  const unknown = await refusalOf(accounts.signIn({ email: 'nobody@assay.example', password }, there));
  const operator = await refusalOf(accounts.signIn({ email: 'operator', password: '' }, there));
  expect(wrong.code).toBe('unauthenticated');
  expect(unknown).toEqual(wrong);
  expect(operator).toEqual(wrong);
});

test('too many attempts from one place are refused there, and nowhere else', async () => {
  const attempt = (address: string) =>
    refusalOf(accounts.signIn({ email: ada.email, password: 'guess' }, { ...here, address }));
  const codes = [];
  for (let count = 0; count < 11; count++) codes.push((await attempt('192.0.2.3')).code);
  expect(codes).toEqual([...Array(10).fill('unauthenticated'), 'rate_limited']);
  expect(await attempt('192.0.2.3')).toMatchObject({
    message: expect.stringMatching(/^Too many attempts\. Try again in \d+ seconds?\.$/),
    details: [{ field: 'retryAfter', value: expect.any(Number) }],
  });
  expect((await attempt('192.0.2.4')).code).toBe('unauthenticated');
  const { rows } = await world.database.systemPool.query('select key from auth_rate_limit');
  expect(rows.map(({ key }) => key)).toContain('192.0.2.3|/sign-in/email');
});

test('behind proxies that are trusted, who they speak for is counted; what others say counts for nothing', async () => {
  const behind = openAccounts({
    database: world.database,
    secret: 'x'.repeat(32),
    newId: systemRandom.id,
    trustedProxies: ['198.51.100.0/24'],
    publicUrl: () => '',
    report: () => {},
  });
  const attempt = (address: string, forwardedFor: string) =>
    refusalOf(behind.signIn({ email: 'x@assay.example', password: 'x' }, { ...here, address, forwardedFor }));
  await attempt('198.51.100.7', '203.0.113.5');
  await attempt('198.51.100.7', '1.1.1.1, 203.0.113.6, 198.51.100.8');
  await attempt('203.0.113.7', '203.0.113.8');
  const { rows } = await world.database.systemPool.query(
    "select key from auth_rate_limit where key like '203%'",
  );
  expect(rows.map(({ key }) => key.split('|')[0]).toSorted()).toEqual([
    '203.0.113.5',
    '203.0.113.6',
    '203.0.113.7',
  ]);
  expect(() =>
    openAccounts({
      database: world.database,
      secret: '',
      newId: systemRandom.id,
      trustedProxies: ['10.0.0.0/8', 'proxy'],
      publicUrl: () => '',
      report: () => {},
    }),
  ).toThrow(/ASSAY_TRUSTED_PROXIES .* it names "proxy"/);
});

describe('a key', () => {
  const make = (expiresInSeconds: number | null = null) =>
    accounts.createKey({ name: 'ci', ownerId: operatorAccountId, expiresInSeconds });

  test('is good for any number of requests', async () => {
    const { id, key, start } = await make();
    expect(key).toMatch(/^assay_[A-Za-z]{64}$/);
    expect(key.startsWith(start)).toBe(true);
    expect(start).toHaveLength(12);
    for (let count = 0; count < 30; count++) expect(await accounts.verifyKey(key)).toBe(id);
  });

  test('is stored as a hash', async () => {
    const { key, id } = await make();
    const { rows } = await world.database.systemPool.query('select * from api_key where id = $1', [id]);
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toContain(key.slice(12));
  });

  test('that is none, or has expired, is refused', async () => {
    const { key, id, expiresAt } = await make(3600);
    expect((expiresAt?.getTime() ?? 0) - Date.now()).toBeGreaterThan(3_500_000);
    expect(await accounts.verifyKey(key)).toBe(id);
    await world.database.systemPool.query(`update api_key set expires_at = now() where id = $1`, [id]);
    expect(await accounts.verifyKey(key)).toBeNull();
    for (const none of [`${key}x`, 'assay_', 'x', key.toLowerCase()]) {
      expect(await accounts.verifyKey(none)).toBeNull();
    }
  });
});

test('without its database it fails, rather than know nobody', async () => {
  const gone = await nounWorld();
  const orphan = await gone.context().program.accounts();
  const { key } = await orphan.createKey({ name: 'x', ownerId: operatorAccountId, expiresInSeconds: null });
  await insertAccount(gone.database.system, ada);
  const hash = await orphan.hashPassword(password);
  await insertPassword(gone.database.system, { id: systemRandom.id(), accountId: ada.id, hash });
  const cookie = cookieOf((await orphan.signIn({ email: ada.email, password }, here)).cookies);
  expect(await orphan.session(cookie)).toEqual(ada);
  await gone.close();
  for (const ask of [
    () => orphan.verifyKey(key),
    () => orphan.session(cookie),
    () => orphan.renewedSession(cookie),
    () => orphan.signIn({ email: ada.email, password }, here),
  ]) {
    const error = await ask().catch((thrown) => thrown);
    expect(error).toBeInstanceOf(Error);
    expect(error).not.toBeInstanceOf(AssayError);
  }
});
