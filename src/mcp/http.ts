import { createMcpHandler } from '@modelcontextprotocol/server';
import type { AssayClient } from '../contract/client.ts';
import { newSession, RunningCalls, sessionHeader } from './running-calls.ts';
import { createMcpServer } from './server.ts';

/** Who sends a message, and the operations as they may call them. */
export interface HttpCall {
  client: AssayClient;
  /** `principalKey` of the caller. */
  principal: string;
  /** Rejects with what the caller is told where they are let in no more. */
  stands(): Promise<unknown>;
}

/** Answers the messages of MCP over Streamable HTTP, in both generations of the protocol, each by itself: whoever sends
 *  one has been let in, and its body is small and shallow. */
export function mcpOverHttp(
  version: string,
  onError: (error: Error) => void,
): (request: Request, call: HttpCall) => Promise<Response> {
  const running = new RunningCalls();
  const handler = createMcpHandler(
    ({ authInfo }) => {
      const { client, stands } = { ...authInfo?.extra } as unknown as HttpCall;
      return createMcpServer(client, version, { stands });
    },
    { onerror: onError },
  );
  return async (request, call) => {
    const { principal } = call;
    const body = await request.text();
    const message = parsed(body);
    const session = request.headers.get(sessionHeader);
    const { url, method, headers } = request;
    const response = await running.serve(message, { principal, session, signal: request.signal }, (signal) =>
      handler.fetch(new Request(url, { method, headers, signal, ...(body === '' ? {} : { body }) }), {
        authInfo: { token: '', clientId: principal, scopes: [], extra: { ...call } },
        ...(message === undefined ? {} : { parsedBody: message }),
      }),
    );
    const opened = newSession(message);
    if (opened !== null) response.headers.set(sessionHeader, opened);
    return response;
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
