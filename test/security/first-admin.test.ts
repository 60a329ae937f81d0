import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type Installation, installation, type Started } from '../e2e/installation.ts';

const password = 'correct horse battery staple';
const ada = { name: 'Ada', email: 'Ada@assay.example', password };

let place: Installation;
let server: Started | null = null;
beforeAll(async () => {
  place = await installation();
});
afterEach(() => stop());
afterAll(() => place.remove());

async function stop() {
  server?.process.kill('SIGTERM');
  await server?.ended;
  server = null;
}

/** Starts a server; `link` is what it prints for the first admin. */
async function serve() {
  await stop();
  server = place.start(['serve', '--port', '0', '--json']);
  const [, json = ''] = await server.said('stdout', /^(\{.*\})$/m);
  const { url, firstAdminLink } = JSON.parse(json) as { url: string; firstAdminLink: string | null };
  const [said = ''] = await server.said('stderr', /[\s\S]*Ctrl-C stops it/);
  const link = said.match(/http:\S+\/first-admin\?token=(\S+)/);
  expect(link?.[0] ?? null).toBe(firstAdminLink);
  const send = (fields: object, headers: Record<string, string> = { origin: url }) =>
    fetch(`${url}/first-admin`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      body: new URLSearchParams(fields as Record<string, string>).toString(),
    });
  return { url, token: link?.[1] ?? '', link: firstAdminLink, send };
}

test('the first admin is made by a link that each start prints anew, and that ends the one before', async () => {
  const before = await serve();
  expect(before.link).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/first-admin\?token=[\w-]{43}$/);
  const page = await fetch(before.link ?? '');
  expect(page.status).toBe(200);
  const html = await page.text();
  expect(html).not.toMatch(/<script|\son\w+=|javascript:/i);
  expect(page.headers.get('content-security-policy')).toMatch(
    /^default-src 'none'; style-src 'sha256-[^']+'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'$/,
  );
  expect(page.headers.get('referrer-policy')).toBe('same-origin');
  expect(page.headers.get('cache-control')).toBe('no-store');

  const now = await serve();
  expect(now.token).not.toBe(before.token);
  for (const token of [before.token, '', 'x', `${now.token}x`]) {
    expect((await fetch(`${now.url}/first-admin?token=${token}`)).status).toBe(404);
    expect((await now.send({ token, ...ada })).status).toBe(404);
  }
  // another kind of link is none of this kind
  expect((await fetch(`${now.url}/join?token=${now.token}`)).status).toBe(404);

  for (const [fields, said] of [
    [{ password: 'x'.repeat(11) }, 'at least 12 characters'],
    [{ password: 'x'.repeat(129) }, 'at most 128 characters'],
    [{ email: 'nobody' }, 'must be an e-mail address'],
    [{ name: ' ' }, 'must not be blank'],
  ] as const) {
    const refused = await now.send({ token: now.token, ...ada, ...fields });
    expect(refused.status).toBe(400);
    const shown = await refused.text();
    expect(shown).toContain(said);
    expect(shown).not.toContain(fields.password ?? password);
  }
  expect((await now.send({ token: now.token, ...ada }, { origin: 'http://evil.example' })).status).toBe(403);
  expect((await now.send({ token: now.token, ...ada }, { 'content-type': 'application/json' })).status).toBe(
    400,
  );

  const answers = await Promise.all(
    ['one', 'two', 'three'].map((name) =>
      now.send({ token: now.token, ...ada, name, email: `${name}@assay.example` }),
    ),
  );
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 404, 404]);
  const won = answers.find(({ status }) => status === 200);
  const [cookie = ''] = won?.headers.getSetCookie()[0]?.split(';') ?? [];
  for (const { status, headers } of answers) if (status !== 200) expect(headers.getSetCookie()).toEqual([]);

  const ask = async (path: string): Promise<unknown> =>
    (await fetch(`${now.url}${path}`, { headers: { cookie } })).json();
  const me = (await ask('/api/me')) as { principal: { id: string } };
  expect(me).toMatchObject({ principal: { kind: 'user' }, workspace: { name: 'main' }, role: 'admin' });
  expect(await ask('/api/workspaces')).toMatchObject({
    items: [
      { name: 'assay', role: 'admin' },
      { name: 'main', role: 'admin' },
    ],
  });
  expect(await ask('/api/members')).toMatchObject({ items: [{ userId: me.principal.id, role: 'admin' }] });
  expect(await ask('/api/audit-log?objectKind=member')).toMatchObject({
    items: [{ action: 'member.add', principal: `user:${me.principal.id}` }],
  });

  const later = await serve();
  expect(later.link).toBeNull();
  expect((await fetch(`${later.url}/first-admin?token=${now.token}`)).status).toBe(404);
  // the session lasts beyond the start
  expect((await fetch(`${later.url}/api/me`, { headers: { cookie } })).status).toBe(200);
});

test('somebody who was invited before can become the first admin, and nobody takes the account of another', async () => {
  const other = await installation();
  try {
    const added = await other.assay([
      'member',
      'add',
      'ada@assay.example',
      '--name',
      'A',
      '--role',
      'viewer',
      '--json',
    ]);
    const { link } = JSON.parse(added.stdout);
    expect(link).toMatch(/^http:\/\/127\.0\.0\.1:4710\/join\?token=/);
    const started = other.start(['serve', '--port', '0', '--json']);
    const [, json = ''] = await started.said('stdout', /^(\{.*\})$/m);
    const { url, firstAdminLink } = JSON.parse(json);
    const send = (path: string, fields: Record<string, string>) =>
      fetch(`${url}${path}`, {
        method: 'POST',
        headers: { origin: url, 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams(fields).toString(),
      });
    const invited = new URL(link).searchParams.get('token') ?? '';
    const first = new URL(firstAdminLink).searchParams.get('token') ?? '';
    expect((await send('/first-admin', { token: invited, ...ada })).status).toBe(404);
    const made = await send('/first-admin', { token: first, ...ada });
    expect(made.status).toBe(200);
    const cookie = made.headers.getSetCookie()[0]?.split(';')[0] ?? '';
    const me = await (await fetch(`${url}/api/me`, { headers: { cookie } })).json();
    expect(me).toMatchObject({ principal: { name: 'Ada' }, workspace: { name: 'main' }, role: 'admin' });
    expect((await send('/join', { token: invited, password: 'what the other one wants' })).status).toBe(404);
    const signIn = await fetch(`${url}/api/auth/sign-in/email`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email: 'ada@assay.example', password }),
    });
    expect(signIn.status).toBe(200);
  } finally {
    await other.remove();
  }
});

test('the link names the address that is set for people, and is stored as a hash', async () => {
  const other = await installation();
  try {
    const env = { ASSAY_PUBLIC_URL: 'https://assay.example/' };
    const started = other.start(['serve', '--port', '0', '--json'], { env });
    const [, json = ''] = await started.said('stdout', /^(\{.*\})$/m);
    const { url, firstAdminLink } = JSON.parse(json);
    expect(firstAdminLink).toMatch(/^https:\/\/assay\.example\/first-admin\?token=/);
    const token = new URL(firstAdminLink).searchParams.get('token') ?? '';
    const page = await fetch(`${url}/first-admin?token=${token}`);
    expect(page.status).toBe(200);
    const operatorToken = (await readFile(join(other.home, 'operator-token'), 'utf8')).trim();
    const health = await fetch(`${url}/api/me`, { headers: { authorization: `Bearer ${operatorToken}` } });
    expect(health.status).toBe(200);
    const answer = await fetch(`${url}/first-admin`, {
      method: 'POST',
      headers: { origin: 'https://assay.example', 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ token, ...ada }).toString(),
    });
    expect(answer.headers.getSetCookie()).toEqual([expect.stringMatching(/; Secure$/)]);
  } finally {
    await other.remove();
  }
});
