import { AsyncLocalStorage } from 'node:async_hooks';
import type { Fetch } from '../net/guarded-fetch.ts';

type SentAlong = Record<string, string>;

const headersNow = new AsyncLocalStorage<SentAlong>();

/** Does something whose requests carry these headers: conversations may share a connection, and each call is of one. */
export function sendingAlong<Result>(headers: SentAlong, work: () => Result): Result {
  return headersNow.run(headers, work);
}

/** A `fetch` that sends along what the call at hand is to carry. */
export function withSentAlong(fetch: Fetch): Fetch {
  return (input, init) => {
    const along = headersNow.getStore();
    if (along === undefined) return fetch(input, init);
    const headers = new Headers(init?.headers ?? (input instanceof Request ? input.headers : undefined));
    for (const [name, value] of Object.entries(along)) headers.set(name, value);
    return fetch(input, { ...init, headers });
  };
}
