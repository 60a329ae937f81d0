import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import type { Client } from '../../api/access/sign-in/accounts.ts';

/** Where a request is from. */
export function clientOf(c: Context): Client {
  const { incoming } = (c.env ?? {}) as Partial<HttpBindings>;
  return {
    address: incoming?.socket.remoteAddress ?? null,
    forwardedFor: c.req.header('x-forwarded-for') ?? null,
    userAgent: c.req.header('user-agent')?.slice(0, 500) ?? null,
  };
}

/** Gives the browser cookies, which it sends by https alone where it came by it. What says so may be made up, by the one
 *  alone whose cookie it is. */
export function setCookies(c: Context, cookies: readonly string[]): void {
  const isHttps = ['origin', 'referer', 'x-forwarded-proto'].some((name) =>
    /^https\b/i.test(c.req.header(name) ?? ''),
  );
  for (const cookie of cookies)
    c.header('set-cookie', `${cookie}${isHttps ? '; Secure' : ''}`, { append: true });
}
