import { type Caller, localCaller, tokenCaller, userCaller } from '../api/call/caller.ts';
import type { Program } from '../api/call/context.ts';
import { type CallingCases, caseHeader } from '../api/runs/calling-case.ts';
import { AssayError } from '../core/errors.ts';
import { isOwnOrigin } from './allowed-hosts.ts';
import { tokenCheck } from './operator-token.ts';

/** Finds out who sends a request, anew for each: what has ended is known by nobody. null: nobody known. Throws
 *  `forbidden` where the cookie of a session comes with a write that no page of ours has sent. */
export type Authenticate = (request: { method: string; headers: Headers }) => Promise<Caller | null>;

export interface AuthenticationOptions {
  program: Program;
  operatorToken: string;
  /** Host names that the server answers to beside loopback. */
  hosts: string[];
}

/** The operator token and API tokens as `Authorization: Bearer`, sessions as cookies. */
export function authentication({ program, operatorToken, hosts }: AuthenticationOptions): Authenticate {
  const isOperatorToken = tokenCheck(operatorToken);
  return async ({ method, headers }) => {
    const authorization = headers.get('authorization');
    if (authorization !== null) {
      const token = /^Bearer +(\S+) *$/i.exec(authorization)?.[1];
      if (token === undefined) return null;
      return isOperatorToken(token) ? localCaller : callerOfToken(program, token);
    }
    const cookie = sessionCookie(headers);
    if (cookie === null) return null;
    if (!isRead(method)) requireOwnOrigin(headers, hosts);
    return callerOfSession(program, cookie);
  };
}

/** Knows also from inside of which test case a request comes. */
export function orInsideCase(authenticate: Authenticate, cases: Pick<CallingCases, 'inside'>): Authenticate {
  return async (request) => {
    const caller = await authenticate(request);
    return caller && cases.inside(caller, request.headers.get(caseHeader) ?? undefined);
  };
}

async function callerOfSession(program: Program, cookie: string): Promise<Caller | null> {
  const account = await (await program.accounts()).session(cookie);
  return account && userCaller(program.database, account, () => callerOfSession(program, cookie));
}

async function callerOfToken(program: Program, token: string): Promise<Caller | null> {
  const keyId = await (await program.accounts()).verifyKey(token);
  return keyId === null ? null : tokenCaller(program.database, { keyId });
}

/** The cookies of a request; null where none of them is of a session. */
export function sessionCookie(headers: Headers): string | null {
  const cookie = headers.get('cookie');
  return cookie?.includes('assay.session_token=') ? cookie : null;
}

export function requireOwnOrigin(headers: Headers, hosts: string[]): void {
  const [host, origin] = [headers.get('host') ?? undefined, headers.get('origin') ?? undefined];
  if (isOwnOrigin({ host, origin }, hosts)) return;
  throw new AssayError(
    'forbidden',
    'With the cookie of a session only pages of this server may write: the request must name its address as its origin. Programs use a token.',
  );
}

function isRead(method: string): boolean {
  return method === 'GET' || method === 'HEAD';
}
