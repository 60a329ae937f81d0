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

  /** How many calls are kept here. */
  get size(): number {
    return this.#byKey.size;
  }

  /** Ends the call that a message of `principal` cancels, and answers the message under a signal that aborts when it is
   *  cancelled itself. A call is kept here until all of its answer was read or nobody reads it any more. */
  async serve(
    message: unknown,
    { principal, session, signal }: { principal: string; session: string | null; signal: AbortSignal },
    answer: (signal: AbortSignal) => Promise<Response>,
  ): Promise<Response> {
    const { method, id, params } = isMessage(message) ? message : {};
    const keyOf = (callId: unknown) => JSON.stringify([principal, session, callId]);
    if (method === 'notifications/cancelled') this.#byKey.get(keyOf(params?.requestId))?.abort();
    if (method !== 'tools/call' || session === null) return answer(signal);
    const key = keyOf(id);
    const cancelled = new AbortController();
    this.#byKey.set(key, cancelled);
    const done = () => {
      if (this.#byKey.get(key) === cancelled) this.#byKey.delete(key);
    };
    const ended = AbortSignal.any([signal, cancelled.signal]);
    try {
      return whenSent(await answer(ended), ended, done);
    } catch (error) {
      done();
      throw error;
    }
  }
}

/** The response, which calls `done` when all of it was read or nobody reads it any more. */
function whenSent(response: Response, signal: AbortSignal, done: () => void): Response {
  if (response.body === null || signal.aborted) {
    done();
    return response;
  }
  signal.addEventListener('abort', done, { once: true });
  const sent = () => {
    signal.removeEventListener('abort', done);
    done();
  };
  // `cancel` is called where the answer breaks off, too
  const watched = new TransformStream({ flush: sent, cancel: sent });
  return new Response(response.body.pipeThrough(watched), response);
}

/** A new session for whoever opens one; null: the message opens none. */
export function newSession(message: unknown): string | null {
  return isMessage(message) && message.method === 'initialize' ? randomUUID() : null;
}

function isMessage(value: unknown): value is Message {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
