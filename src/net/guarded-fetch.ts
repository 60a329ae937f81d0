import { isIP, type LookupFunction } from 'node:net';
import { assertAllowed, BlockedAddress, guardedAgents, guardedLookup } from './connection-guard.ts';
import { blocked, exchange, type Outgoing, place } from './exchange.ts';
import { incomingBytes } from './limits.ts';
import { OutsideCallError } from './outside-call-error.ts';

/** `fetch` as clients of models and of MCP servers take it. */
export type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

export interface GuardedFetchOptions {
  /** Whether loopback and private networks may be called; cloud metadata, link-local and multicast never may. */
  allowPrivate: boolean;
  /** The largest response body in bytes. */
  maxBytes?: number;
  /** The longest wait for a connection in milliseconds. */
  connectMs?: number;
  /** The longest silence before and during a response in milliseconds; above the longest limit of a tool call, so that
   *  the limit is what ends a call. */
  idleMs?: number;
  /** Resolves names; the system's own unless a test brings one. */
  lookup?: LookupFunction;
}

const maxRedirects = 5;
/** What may follow a redirect to another origin. Everything else could be a key for the first one. */
const harmlessHeaders = new Set(['accept', 'accept-language', 'content-type', 'user-agent']);

/**
 * A `fetch` that refuses what a test must not reach: it judges the address a socket is connected to, of every redirect
 * too. Rejects with OutsideCallError, or with the signal's reason on abort.
 */
export function createGuardedFetch(options: GuardedFetchOptions): Fetch {
  const { allowPrivate } = options;
  const exchangeOptions = {
    agents: guardedAgents(allowPrivate),
    lookup: guardedLookup(allowPrivate, options.lookup),
    maxBytes: options.maxBytes ?? incomingBytes,
    connectMs: options.connectMs ?? 10_000,
    idleMs: options.idleMs ?? 600_000,
  };

  return async (input, init) => {
    const request = readRequest(input, init);
    let outgoing: Outgoing = {
      url: new URL(request.url),
      method: request.method,
      headers: request.headers,
      body: request.body === null ? null : Buffer.from(await request.arrayBuffer()),
      signal: request.signal,
    };
    for (let redirects = 0; ; redirects++) {
      outgoing.signal.throwIfAborted();
      checkAddress(outgoing.url, allowPrivate);
      const response = await exchange(outgoing, exchangeOptions);
      const next = request.redirect === 'manual' ? null : redirected(outgoing, response);
      if (next === null) return response;
      await response.body?.cancel();
      if (request.redirect === 'error' || redirects === maxRedirects) {
        const text = `${place(outgoing.url)} redirects to ${place(next.url)}, which is one redirect too many.`;
        throw new OutsideCallError('too_many_redirects', place(outgoing.url), text);
      }
      outgoing = next;
    }
  };
}

function readRequest(input: string | URL | Request, init: RequestInit | undefined): Request {
  const href = input instanceof Request ? input.url : String(input);
  if (!URL.canParse(href))
    throw new OutsideCallError('bad_address', href, `"${href}" is not a valid address.`);
  checkUrl(new URL(href));
  return new Request(input, init);
}

function checkUrl(url: URL): void {
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new OutsideCallError(
      'bad_address',
      place(url),
      `${url.protocol} addresses are not called, only http and https.`,
    );
  }
  if (url.username !== '' || url.password !== '') {
    const text = `The address of ${url.host} holds a user name or password. Put it into a header instead.`;
    throw new OutsideCallError('bad_address', place(url), text);
  }
}

/** Refuses a literal address before a socket is opened; a name is judged when it is resolved. */
function checkAddress(url: URL, allowPrivate: boolean): void {
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  if (isIP(host) === 0) return;
  try {
    assertAllowed(host, allowPrivate);
  } catch (error) {
    if (!(error instanceof BlockedAddress)) throw error;
    throw blocked(url, error);
  }
}

function redirected(outgoing: Outgoing, response: Response): Outgoing | null {
  const location = response.headers.get('location');
  if (location === null || ![301, 302, 303, 307, 308].includes(response.status)) return null;
  if (!URL.canParse(location, outgoing.url.href)) {
    const text = `${place(outgoing.url)} redirects to "${location}", which is not a valid address.`;
    throw new OutsideCallError('bad_address', place(outgoing.url), text);
  }
  const url = new URL(location, outgoing.url);
  checkUrl(url);
  const headers = new Headers(outgoing.headers);
  if (url.origin !== outgoing.url.origin) {
    for (const name of [...headers.keys()]) if (!harmlessHeaders.has(name)) headers.delete(name);
  }
  const becomesGet =
    response.status === 303
      ? outgoing.method !== 'HEAD'
      : response.status < 303 && outgoing.method === 'POST';
  if (!becomesGet) return { ...outgoing, url, headers };
  headers.delete('content-type');
  return { ...outgoing, url, headers, method: 'GET', body: null };
}
