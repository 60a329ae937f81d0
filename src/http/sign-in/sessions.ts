import { type Context, Hono } from 'hono';
import { requirePassword } from '../../api/access/sign-in/password.ts';
import type { Program } from '../../api/call/context.ts';
import { AssayError } from '../../core/errors.ts';
import { requireOwnOrigin, sessionCookie } from '../authenticate.ts';
import { clientOf, setCookies } from './client.ts';

/** Signing in and out with a password, below `/api/auth`. Takes and gives JSON; the session is a cookie. */
export function sessionRoutes(program: Program, hosts: string[]): Hono {
  const routes = new Hono();
  routes.use(async (c, next) => {
    const isWrite = c.req.method !== 'GET';
    const comesFromPage = c.req.header('origin') !== undefined || sessionCookie(c.req.raw.headers) !== null;
    if (isWrite && comesFromPage) requireOwnOrigin(c.req.raw.headers, hosts);
    c.header('cache-control', 'no-store');
    await next();
  });
  routes.post('/sign-in/email', async (c) => {
    const credentials = await texts(c, ['email', 'password']);
    const { account, cookies } = await (await program.accounts()).signIn(credentials, clientOf(c));
    setCookies(c, cookies);
    return c.json({ user: account });
  });
  routes.post('/sign-out', async (c) => {
    const cookie = sessionCookie(c.req.raw.headers);
    if (cookie !== null) setCookies(c, (await (await program.accounts()).signOut(cookie)).cookies);
    return c.json({});
  });
  routes.get('/get-session', async (c) => {
    const cookie = sessionCookie(c.req.raw.headers);
    const session = cookie && (await (await program.accounts()).renewedSession(cookie));
    if (!session) return c.json({ user: null, expiresAt: null });
    setCookies(c, session.cookies);
    return c.json({ user: session.account, expiresAt: session.expiresAt.toISOString() });
  });
  routes.post('/change-password', async (c) => {
    const passwords = await texts(c, ['currentPassword', 'newPassword']);
    const cookie = sessionCookie(c.req.raw.headers);
    if (cookie === null) throw new AssayError('unauthenticated', 'Sign in first.');
    requirePassword(passwords.newPassword, 'newPassword');
    const { cookies } = await (await program.accounts()).changePassword(passwords, cookie, clientOf(c));
    setCookies(c, cookies);
    return c.json({});
  });
  return routes;
}

/** The texts of these names in a body of JSON, which holds nothing else. What was sent is not repeated: it is secret. */
async function texts<Name extends string>(c: Context, names: readonly Name[]): Promise<Record<Name, string>> {
  const body: unknown = await c.req.json().catch(() => null);
  const given = typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {};
  const missing = names.filter((name) => typeof given[name] !== 'string');
  const unknown = Object.keys(given).filter((key) => !names.includes(key as Name));
  const details = [
    ...missing.map((field) => ({ field, message: 'must be text' })),
    ...unknown.map((field) => ({ field, message: 'is not a known field' })),
  ];
  if (details.length === 0) return given as Record<Name, string>;
  const said = details.map(({ field, message }) => `${field} ${message}`);
  throw new AssayError('invalid_input', `${said.join('; ')}.`, details);
}
