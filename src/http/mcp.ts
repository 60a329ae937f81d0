import { createRouterClient } from '@orpc/server';
import type { Handler, MiddlewareHandler } from 'hono';
import type { Caller } from '../api/call/caller.ts';
import type { Program } from '../api/call/context.ts';
import { requireLetIn } from '../api/call/standing.ts';
import { router } from '../api/router.ts';
import type { AssayClient } from '../contract/client.ts';
import { AssayError } from '../core/errors.ts';
import { principalKey } from '../core/principal.ts';
import { workspaceOf } from './request.ts';

/** Answers one MCP message of a caller who was let in. */
export type ServeMcp = (
  request: Request,
  call: { client: AssayClient; principal: string; stands(): Promise<unknown> },
) => Promise<Response>;

/** MCP is for programs, which have a token: what a browser sends along by itself opens nothing here. */
export const bearerOnly: MiddlewareHandler = async (c, next) => {
  if (/^Bearer +\S/i.test(c.req.header('authorization') ?? '')) return next();
  c.header('www-authenticate', 'Bearer');
  throw new AssayError('unauthenticated', 'MCP needs a token, sent as "Authorization: Bearer <token>".');
};

/** The operations of the product as MCP tools, each call with the role of its caller in the workspace that it names. */
export function mcpRoute(program: Program, serve: ServeMcp): Handler<{ Variables: { caller: Caller } }> {
  return (c) => {
    const caller = c.get('caller');
    const context = { caller, workspaceRef: workspaceOf(c.req, caller), program };
    return serve(c.req.raw, {
      client: createRouterClient(router, { context }),
      principal: principalKey(caller.principal),
      stands: () => requireLetIn(caller),
    });
  };
}
