import { isIPv6 } from 'node:net';

const loopback = ['127.0.0.1', 'localhost', '[::1]'];

/** Whether a request was meant for this server: it names a host that we answer to, and a page that sent it comes from
 *  such a host too. Keeps pages of other sites from reaching a server on loopback through the browser (DNS rebinding).
 *  `extra` host names and addresses, in any spelling, are allowed beside loopback. */
export function isForUs(
  headers: { host: string | undefined; origin: string | undefined },
  extra: string[],
): boolean {
  const allowed = new Set([...loopback, ...extra.map(hostOf)].filter((name) => name !== null));
  const isAllowed = (name: string | null) => name !== null && allowed.has(name);
  if (headers.host === undefined || !isAllowed(hostOf(headers.host))) return false;
  return headers.origin === undefined || isAllowed(hostOfUrl(headers.origin));
}

/** Whether a page of this server itself sent a request, by its origin: a page at another port of the same machine is a
 *  foreign one, other than behind a proxy that answers to one of the `extra` host names. */
export function isOwnOrigin(
  headers: { host: string | undefined; origin: string | undefined },
  extra: string[],
): boolean {
  const { host, origin } = headers;
  if (host === undefined || origin === undefined || !URL.canParse(origin)) return false;
  const from = new URL(origin);
  const here = `${from.protocol}//${host}`;
  if (URL.canParse(here) && new URL(here).host === from.host) return true;
  return !loopback.includes(from.hostname) && extra.some((name) => hostOf(name) === from.hostname);
}

/** The one spelling of a host name or address, with or without a port; null where it is none. */
function hostOf(text: string): string | null {
  const name = text.trim();
  if (isIPv6(name)) return hostOfUrl(`http://[${name}]`);
  return /[\s/?#@\\*]/.test(name) ? null : hostOfUrl(`http://${name}`);
}

function hostOfUrl(url: string): string | null {
  return URL.canParse(url) ? new URL(url).hostname || null : null;
}
