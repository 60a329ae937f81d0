import { AssayError } from '../../../core/errors.ts';
import type { Account } from '../../../store/account.ts';
import { addressHeader, type BetterAuthOptions, insideUrl, openBetterAuth } from './better-auth.ts';

/** Where a request is from, for limits and for the list of sessions. */
export interface Client {
  address: string | null;
  /** What proxies before the server say about it: believed where they are trusted. */
  forwardedFor: string | null;
  userAgent: string | null;
}

interface NewKey {
  id: string;
  /** Shown once: only its hash is stored. */
  key: string;
  start: string;
  expiresAt: Date | null;
}

/** Passwords, sessions and keys. What is given as `cookies` are values of `set-cookie`. */
export interface Accounts {
  /** Throws `unauthenticated`, the same for an unknown address and a wrong password, and `rate_limited`. */
  signIn(
    credentials: { email: string; password: string },
    client: Client,
  ): Promise<{ account: Account; cookies: string[] }>;
  /** Signs in who has just chosen that password. */
  startSession(
    credentials: { email: string; password: string },
    client: Client,
  ): Promise<{ account: Account; cookies: string[] }>;
  signOut(cookie: string): Promise<{ cookies: string[] }>;
  /** Who the cookie of a session belongs to; null: nobody, or it has ended. */
  session(cookie: string): Promise<Account | null>;
  /** The same, and lets the session last longer. */
  renewedSession(cookie: string): Promise<{ account: Account; expiresAt: Date; cookies: string[] } | null>;
  /** Ends all other sessions. Throws `unauthenticated`, `invalid_input` and `rate_limited`. */
  changePassword(
    passwords: { currentPassword: string; newPassword: string },
    cookie: string,
    client: Client,
  ): Promise<{ cookies: string[] }>;
  hashPassword(password: string): Promise<string>;
  createKey(key: { name: string; ownerId: string; expiresInSeconds: number | null }): Promise<NewKey>;
  /** Id of the key, and notes that it was used; null: unknown or expired. */
  verifyKey(key: string): Promise<string | null>;
  /** The address at which people reach this installation, with a path and the token of a one-time link. */
  linkTo(path: string, token: string): string;
}

export interface AccountsOptions extends BetterAuthOptions {
  /** Without a slash at its end. */
  publicUrl(): string;
}

export function openAccounts(options: AccountsOptions): Accounts {
  const { database, publicUrl, trustedProxies } = options;
  const auth = openBetterAuth(options);

  /** Through its front door, where the limits are. */
  async function ask(path: string, body: object, client: Client, cookie?: string): Promise<Answer> {
    const headers = headersOf(client, trustedProxies);
    headers.set('content-type', 'application/json');
    if (cookie !== undefined) headers.set('cookie', cookie);
    const request = new Request(`${insideUrl}${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    const response = await auth.handler(request);
    const answer = await response.json().catch(() => null);
    if (response.status === 429) throw tooMany(Number(response.headers.get('x-retry-after')));
    if (response.status >= 500) await failed(answer);
    return { status: response.status, body: answer, cookies: response.headers.getSetCookie() };
  }

  /** It tells of a failure of the database as of one of its own, or as of something that it does not know. */
  async function failed(cause: unknown): Promise<never> {
    await database.ready();
    throw new Error('better-auth failed', { cause });
  }

  return {
    async signIn({ email, password }, client) {
      const { status, body, cookies } = await ask('/sign-in/email', { email, password }, client);
      if (status === 200) return { account: accountAlone((body as { user: Account }).user), cookies };
      throw new AssayError('unauthenticated', 'The e-mail address or the password is wrong.');
    },
    async startSession(credentials, client) {
      const { headers, response } = await auth.api.signInEmail({
        body: credentials,
        headers: headersOf(client, trustedProxies),
        returnHeaders: true,
      });
      return { account: accountAlone(response.user), cookies: headers.getSetCookie() };
    },
    async signOut(cookie) {
      const { headers } = await auth.api.signOut({ headers: new Headers({ cookie }), returnHeaders: true });
      return { cookies: headers.getSetCookie() };
    },
    async session(cookie) {
      const question = { headers: new Headers({ cookie }), query: { disableRefresh: true } };
      const found = await auth.api.getSession(question).catch(failed);
      return found && accountAlone(found.user);
    },
    async renewedSession(cookie) {
      const question = { headers: new Headers({ cookie }), returnHeaders: true } as const;
      const { headers, response } = await auth.api.getSession(question).catch(failed);
      return (
        response && {
          account: accountAlone(response.user),
          expiresAt: response.session.expiresAt,
          cookies: headers.getSetCookie(),
        }
      );
    },
    async changePassword(passwords, cookie, client) {
      const body = { ...passwords, revokeOtherSessions: true };
      const { status, cookies } = await ask('/change-password', body, client, cookie);
      if (status === 200) return { cookies };
      if (status === 401) throw new AssayError('unauthenticated', 'Sign in first.');
      const message = 'is not your password';
      throw new AssayError('invalid_input', `currentPassword ${message}.`, [
        { field: 'currentPassword', message },
      ]);
    },
    hashPassword: async (password) => (await auth.$context).password.hash(password),
    async createKey({ name, ownerId, expiresInSeconds }) {
      const { id, key, start, expiresAt } = await auth.api.createApiKey({
        body: { name, userId: ownerId, expiresIn: expiresInSeconds },
      });
      return { id, key, start: start ?? '', expiresAt };
    },
    async verifyKey(key) {
      const { valid, key: found } = await auth.api.verifyApiKey({ body: { key } });
      if (valid && found !== null) return found.id;
      // so that an outage does not look like a token that has ended
      await database.ready();
      return null;
    },
    linkTo: (path, token) => `${publicUrl()}${path}?token=${token}`,
  };
}

interface Answer {
  status: number;
  body: unknown;
  cookies: string[];
}

/** Without what else better-auth knows of it. */
function accountAlone({ id, name, email }: Account): Account {
  return { id, name, email };
}

function headersOf({ address, forwardedFor, userAgent }: Client, trustedProxies: string[]): Headers {
  const headers = new Headers();
  const chain = trustedProxies.length > 0 && forwardedFor !== null ? [forwardedFor, address] : [address];
  if (address !== null) headers.set(addressHeader, chain.join(', '));
  if (userAgent !== null) headers.set('user-agent', userAgent);
  return headers;
}

function tooMany(seconds: number): AssayError {
  const message = `Too many attempts. Try again in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`;
  return new AssayError('rate_limited', message, [{ field: 'retryAfter', value: seconds, message }]);
}
