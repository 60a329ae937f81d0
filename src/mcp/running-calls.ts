import { randomUUID } from 'node:crypto';

/** Names a client to itself. It is worth nothing here but for telling the calls of two clients apart. */
export const sessionHeader = 'mcp-session-id';

interface Message {
  method?: unknown;
  id?: unknown;
  params?: { requestId?: unknown };
}

/** The calls of the older protocol generation that are going on. There a client cancels a call with a message of its
 *  own, which has to find the call in whatever else goes on. Nothing is kept of a client between its calls: one that comes
 *  with a session of an earlier process is as good as any. */
export class RunningCalls {
  readonly #byKey = new Map<string, AbortController>();

  /** Ends the call that a message of `principal` cancels, and gives the signal under which the message is to be served:
   *  it aborts when the message is cancelled. `done` is to be called when the message is answered. */
  enter(
    message: unknown,
    { principal, session, signal }: { principal: string; session: string | null; signal: AbortSignal },
  ): { signal: AbortSignal; done(): void } {
    const { method, id, params } = isMessage(message) ? message : {};
    const keyOf = (callId: unknown) => JSON.stringify([principal, session, callId]);
    if (method === 'notifications/cancelled') this.#byKey.get(keyOf(params?.requestId))?.abort();
    if (method !== 'tools/call' || session === null) return { signal, done: () => {} };
    const key = keyOf(id);
    const cancelled = new AbortController();
    this.#byKey.set(key, cancelled);
    return {
      signal: AbortSignal.any([signal, cancelled.signal]),
      done: () => {
        if (this.#byKey.get(key) === cancelled) this.#byKey.delete(key);
      },
    };
  }
}

/** A new session for whoever opens one; null: the message opens none. */
export function newSession(message: unknown): string | null {
  return isMessage(message) && message.method === 'initialize' ? randomUUID() : null;
}

function isMessage(value: unknown): value is Message {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
