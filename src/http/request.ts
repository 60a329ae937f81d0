import type { HttpBindings } from '@hono/node-server';
import type { Context, HonoRequest, MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import type { Caller } from '../api/call/caller.ts';
import { defaultWorkspace, workspaceHeader } from '../contract/installation.ts';
import { AssayError } from '../core/errors.ts';
import type { Log } from './log.ts';

const megabyte = 1024 * 1024;
/** Files are sent whole; everything else is small. */
const largestBody = (path: string) => (path === '/api/apply' ? 8 : 1);

/** One line for each request, without its query. */
export function logged(log: Log): MiddlewareHandler {
  return async (c, next) => {
    const began = performance.now();
    await next();
    const ms = Math.round(performance.now() - began);
    log('info', 'request', { method: c.req.method, path: c.req.path, status: c.res.status, ms });
  };
}

/** Writes take JSON and nothing else: what a form of another page can send without asking is refused. */
export const jsonOnly: MiddlewareHandler = async (c, next) => {
  const type = c.req.header('content-type');
  const isRead = c.req.method === 'GET' || c.req.method === 'HEAD';
  const isBare = type === undefined && !hasBody(c);
  if (isRead || isBare || /^application\/json *(;|$)/i.test(type ?? '')) return next();
  throw new AssayError('invalid_input', 'Send the body as JSON, with "content-type: application/json".', [
    { field: 'content-type', value: type ?? null, message: 'must be application/json' },
  ]);
};

/** Whether something follows the head of a request. Over a connection its head says so; the body is a stream either way. */
function hasBody({ req, env }: Context): boolean {
  const isReceived = (env as Partial<HttpBindings> | undefined)?.incoming !== undefined;
  if (!isReceived) return req.raw.body !== null;
  return (req.header('content-length') ?? '0') !== '0' || req.header('transfer-encoding') !== undefined;
}

export const limitedBody: MiddlewareHandler = (c, next) => {
  const megabytes = largestBody(c.req.path);
  const limit = bodyLimit({
    maxSize: megabytes * megabyte,
    onError: async ({ req }) => {
      if (!req.raw.bodyUsed) await discard(req.raw.body);
      throw new AssayError(
        'too_large',
        `The body is larger than ${megabytes} MB, the most that is taken here.`,
      );
    },
  });
  return limit(c, next);
};

const mostDiscarded = 64 * megabyte;

/** Whoever is still sending hears of no answer. */
async function discard(body: ReadableStream<Uint8Array> | null): Promise<void> {
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > mostDiscarded) return;
  }
}

/** The workspace that a request means, by name or id. */
export function workspaceOf(request: HonoRequest, caller: Caller): string {
  const header = request.header(workspaceHeader);
  if (header === undefined) return caller.workspaceId ?? defaultWorkspace;
  try {
    return decodeURIComponent(header);
  } catch {
    throw new AssayError('invalid_input', `The header ${workspaceHeader} must be URI-encoded.`, [
      { field: workspaceHeader, value: header, message: 'must be URI-encoded' },
    ]);
  }
}
