import type { ServerContext } from '@modelcontextprotocol/server';

const everyMs = 10_000;

/** Does something, and tells a client that asked for progress now and then that it is still going on: many give up on a
 *  call that they hear nothing of for a minute. */
export async function withHeartbeat<Result>(
  { _meta, notify }: Pick<ServerContext['mcpReq'], '_meta' | 'notify'>,
  work: () => Promise<Result>,
  pauseMs = everyMs,
): Promise<Result> {
  const progressToken = _meta?.progressToken;
  if (progressToken === undefined) return work();
  let progress = 0;
  const beating = setInterval(() => {
    progress += 1;
    const params = { progressToken, progress, message: 'Still at it.' };
    // a client that is gone has the call ended, which is told there
    notify({ method: 'notifications/progress', params }).catch(() => undefined);
  }, pauseMs);
  try {
    return await work();
  } finally {
    clearInterval(beating);
  }
}
