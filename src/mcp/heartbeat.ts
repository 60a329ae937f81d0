import type { ServerContext } from '@modelcontextprotocol/server';

const everyMs = 10_000;

type Request = Pick<ServerContext['mcpReq'], '_meta' | 'notify' | 'signal'>;

/** Does something, and tells a client that asked for progress now and then that it is still going on: many give up on a
 *  call that they hear nothing of for a minute. Before each time `stands` says whether the caller is still let in; where
 *  it rejects, nothing more is told, the signal of `work` aborts, and this rejects with that. */
export async function withHeartbeat<Result>(
  { _meta, notify, signal }: Request,
  work: (signal: AbortSignal) => Promise<Result>,
  stands: () => Promise<unknown>,
  pauseMs = everyMs,
): Promise<Result> {
  const progressToken = _meta?.progressToken;
  if (progressToken === undefined) return work(signal);
  const lost = new AbortController();
  const refused = Promise.withResolvers<never>();
  let progress = 0;
  const beat = async () => {
    await stands();
    if (lost.signal.aborted) return;
    progress += 1;
    const params = { progressToken, progress, message: 'Still at it.' };
    // a client that is gone has the call ended, which is told there
    notify({ method: 'notifications/progress', params }).catch(() => undefined);
  };
  const beating = setInterval(() => {
    beat().catch((reason) => {
      lost.abort(reason);
      refused.reject(reason);
    });
  }, pauseMs);
  try {
    return await Promise.race([work(AbortSignal.any([signal, lost.signal])), refused.promise]);
  } finally {
    clearInterval(beating);
    lost.abort();
  }
}
