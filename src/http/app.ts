import { OpenAPIHandler } from '@orpc/openapi/fetch';
import { ORPCError, onError, unlazyRouter } from '@orpc/server';
import { type Context, Hono, type MiddlewareHandler } from 'hono';
import { type Caller, unauthenticated } from '../api/call/caller.ts';
import type { Program } from '../api/call/context.ts';
import { refusal } from '../api/call/refusal.ts';
import { router } from '../api/router.ts';
import { envelopeOf } from '../contract/client.ts';
import { AssayError, errorStatus } from '../core/errors.ts';
import { isForUs } from './allowed-hosts.ts';
import type { Authenticate } from './authenticate.ts';
import { shallowBody } from './json-depth.ts';
import { errorFields, type Log } from './log.ts';
import { bearerOnly, mcpRoute, type ServeMcp } from './mcp.ts';
import { jsonOnly, limitedBody, logged, workspaceOf } from './request.ts';
import { linkPages } from './sign-in/link-pages.ts';
import { sessionRoutes } from './sign-in/sessions.ts';
import { untilStopped } from './stopping.ts';

export interface AppOptions {
  program: Program;
  authenticate: Authenticate;
  /** `serverProof` of a challenge. */
  prove: (challenge: string) => string;
  /** Host names that the server answers to beside loopback. */
  hosts: string[];
  mcp: ServeMcp;
  /** Aborts when the server stops, with what is then to be said. */
  stopping: AbortSignal;
  log: Log;
}

type Env = { Variables: { caller: Caller } };

/** Lets nobody pass who has not signed in, and notes who it is. */
function signedIn(authenticate: Authenticate): MiddlewareHandler<Env> {
  return async (c, next) => {
    const caller = await authenticate(c.req.raw);
    if (caller === null) {
      c.header('www-authenticate', 'Bearer');
      throw unauthenticated();
    }
    c.set('caller', caller);
    await next();
  };
}

/** Whether a request could not be read, before any operation heard of it: what operations throw is an envelope. */
function isUnreadable(error: unknown): boolean {
  return error instanceof SyntaxError;
}

/** The HTTP surface: the operations under `/api`, and whether the process lives and can work. */
export async function createApp(options: AppOptions): Promise<Hono<Env>> {
  const { program, authenticate, prove, hosts, mcp, stopping, log } = options;
  // its matcher finds no operation in a part that is loaded late
  const operations = new OpenAPIHandler(await unlazyRouter(router), {
    customErrorResponseBodyEncoder: (error) => envelopeOf(error.code in errorStatus ? error : refusal(error)),
    interceptors: [onError(logFailure)],
  });
  const app = new Hono<Env>();
  app.use(logged(log));
  app.onError((error, c) => refuse(c, error));
  app.notFound((c) =>
    refuse(c, new AssayError('not_found', `There is nothing at ${c.req.method} ${c.req.path}.`)),
  );
  app.use(async (c, next) => {
    if (isForUs({ host: c.req.header('host'), origin: c.req.header('origin') }, hosts)) return next();
    throw new AssayError(
      'forbidden',
      'This server does not answer to that host name or origin. Name the host in ASSAY_HOSTS to allow it.',
    );
  });

  app.get('/healthz', (c) => {
    const challenge = c.req.query('challenge');
    return c.json({ status: 'ok', ...(challenge === undefined ? {} : { proof: prove(challenge) }) });
  });
  app.get('/readyz', async (c) => {
    await program.database.ready();
    return c.json({ status: 'ready' });
  });

  app.route('/', linkPages(program));
  app.use('/api/auth/*', jsonOnly, limitedBody, shallowBody);
  app.route('/api/auth', sessionRoutes(program, hosts));

  app.use('/mcp', untilStopped(stopping), bearerOnly, signedIn(authenticate));
  app.use('/mcp', jsonOnly, limitedBody, shallowBody);
  app.all('/mcp', mcpRoute(program, mcp));

  app.use('/api/*', untilStopped(stopping), signedIn(authenticate));
  app.use('/api/*', jsonOnly, limitedBody, shallowBody);
  app.use('/api/*', async (c, next) => {
    const { matched, response } = await operations.handle(c.req.raw, {
      prefix: '/api',
      context: {
        caller: c.get('caller'),
        workspaceRef: workspaceOf(c.req, c.get('caller')),
        program,
      },
    });
    return matched ? c.newResponse(response.body, response) : next();
  });
  return app;

  function refuse(c: Context<Env>, error: unknown) {
    const refused = refusal(error);
    logFailure(refused);
    const envelope = envelopeOf(refused);
    const retryAfter = envelope?.details.find(({ field }) => field === 'retryAfter')?.value;
    if (retryAfter !== undefined) c.header('retry-after', String(retryAfter));
    if (refused.status === errorStatus.too_large) c.header('connection', 'close');
    return c.json(envelope, refused.status as 500);
  }

  function logFailure(error: unknown) {
    const status =
      error instanceof ORPCError
        ? error.status
        : errorStatus[isUnreadable(error) ? 'invalid_input' : 'internal'];
    if (status >= 500) log('error', 'request failed', errorFields((error as Error).cause ?? error));
  }
}
