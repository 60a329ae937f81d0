import { createMcpHandler } from '@modelcontextprotocol/server';
import type { AssayClient } from '../contract/client.ts';
import { newSession, RunningCalls, sessionHeader } from './running-calls.ts';
import { createMcpServer } from './server.ts';

/** Who sends a message, and the operations as they may call them. */
export interface HttpCall {
  client: AssayClient;
  /** `principalKey` of the caller. */
  principal: string;
}

/** Answers the messages of MCP over Streamable HTTP, in both generations of the protocol, each by itself: whoever sends
 *  one has been let in, and its body is small and shallow. */
export function mcpOverHttp(
  version: string,
  onError: (error: Error) => void,
): (request: Request, call: HttpCall) => Promise<Response> {
  const running = new RunningCalls();
  const handler = createMcpHandler(
    ({ authInfo }) => createMcpServer(authInfo?.extra?.client as AssayClient, version),
    { onerror: onError },
  );
  return async (request, { client, principal }) => {
    const body = await request.text();
    const message = parsed(body);
    const session = request.headers.get(sessionHeader);
    const { signal, done } = running.enter(message, { principal, session, signal: request.signal });
    const { url, method, headers } = request;
    const served = new Request(url, { method, headers, signal, ...(body === '' ? {} : { body }) });
    const response = await handler.fetch(served, {
      authInfo: { token: '', clientId: principal, scopes: [], extra: { client } },
      ...(message === undefined ? {} : { parsedBody: message }),
    });
    const opened = newSession(message);
    if (opened !== null) response.headers.set(sessionHeader, opened);
    return whenSent(response, signal, done);
  };
}

/** undefined: it is no JSON, which the protocol has an answer to. */
function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

/** The response, which calls `done` when all of it was read or nobody reads it any more. */
function whenSent(response: Response, signal: AbortSignal, done: () => void): Response {
  if (response.body === null) {
    done();
    return response;
  }
  signal.addEventListener('abort', done, { once: true });
  const watched = new TransformStream({
    flush: () => {
      signal.removeEventListener('abort', done);
      done();
    },
  });
  return new Response(response.body.pipeThrough(watched), response);
}
