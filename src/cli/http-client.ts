import { createORPCClient } from '@orpc/client';
import { type AnyContractRouter, isContractProcedure } from '@orpc/contract';
import { OpenAPILink } from '@orpc/openapi-client/fetch';
import { type AssayClient, type ErrorEnvelope, errorOfEnvelope } from '../contract/client.ts';
import { operatorTokenFile, workspaceHeader } from '../contract/installation.ts';
import routes from '../contract/routes.json' with { type: 'json' };
import { CommandError, ServerLost } from './failure.ts';
import { waitInTurns } from './long-wait.ts';

export interface ServerAccess {
  url: string;
  token: string;
  /** Where the token is from, in words: what to look at when it is refused. */
  tokenPlace: string;
  /** Missing: the one that whoever holds the token means where none is named. */
  workspace: string | undefined;
}

/** From here on it is what stands before a server that answers, and the server itself is away. */
const badGateway = 502;

/** The operations of a server. An answer that is none of an Assay server, and no answer, is a CommandError. */
export function httpClient(options: ServerAccess): AssayClient {
  const url = options.url.replace(/\/+$/, '');
  const link = new OpenAPILink(routes as AnyContractRouter, {
    url: `${url}/api`,
    headers: {
      authorization: `Bearer ${options.token}`,
      ...(options.workspace === undefined
        ? {}
        : { [workspaceHeader]: encodeURIComponent(options.workspace) }),
    },
    interceptors: [
      ({ path, input, next }) => {
        requireAddress(path, input);
        return next();
      },
      waitInTurns,
    ],
    fetch: async (request, init) => {
      try {
        return await fetch(request, init);
      } catch (error) {
        if (request.signal.aborted) throw error;
        throw unreachable(url, error);
      }
    },
    customErrorResponseBodyDecoder: (body, response) => {
      if (!isEnvelope(body)) {
        const NoServer = response.status >= badGateway ? ServerLost : CommandError;
        throw new NoServer(`${url} is no Assay server: it answers with ${response.status}.`);
      }
      if (body.code === 'unauthenticated') {
        throw new CommandError(
          `${url} does not know the token from ${options.tokenPlace}. If it has ended, make another one, or use the one in ${operatorTokenFile} of its data directory.`,
        );
      }
      return errorOfEnvelope(body, response.status);
    },
  });
  return createORPCClient(link);
}

/** An id that is a part of the address cannot be missed by the server: without it the address is another one. */
function requireAddress(path: readonly string[], input: unknown): void {
  const procedure = path.reduce<unknown>((node, key) => (node as Record<string, unknown>)[key], routes);
  const address = isContractProcedure(procedure) ? (procedure['~orpc'].route.path ?? '') : '';
  for (const [, name = ''] of address.matchAll(/\{(\w+)\}/g)) {
    const value = (input as Record<string, unknown> | undefined)?.[name];
    if (typeof value !== 'string' || value === '') throw wrongAddress(name, value, 'is needed');
    if (/^\.\.?$/.test(value)) throw wrongAddress(name, value, `cannot be "${value}": give the id instead`);
  }
}

function wrongAddress(field: string, value: unknown, message: string) {
  const details = [{ field, value, message }];
  return errorOfEnvelope({ code: 'invalid_input', message: `${field} ${message}.`, details }, 400);
}

function unreachable(url: string, error: unknown): ServerLost {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  const why =
    cause instanceof Error ? ((cause as NodeJS.ErrnoException).code ?? cause.message) : String(cause);
  return new ServerLost(
    `The Assay server at ${url} does not answer (${why}). Start it with "assay serve", or set ASSAY_URL to one that runs.`,
  );
}

function isEnvelope(body: unknown): body is ErrorEnvelope {
  return (
    typeof body === 'object' && body !== null && 'code' in body && 'message' in body && 'details' in body
  );
}
