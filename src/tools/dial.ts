import {
  Client,
  ProtocolError,
  ProtocolErrorCode,
  SdkHttpError,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client';
import type { Redact } from '../core/ports.ts';
import { childEnvironment } from '../net/child-environment.ts';
import type { Fetch } from '../net/guarded-fetch.ts';
import { incomingBytes } from '../net/limits.ts';
import { serverUnreachable } from './failure-text.ts';
import type { Route } from './route.ts';
import { createStdioTransport } from './stdio-transport.ts';

export interface DialOptions {
  serverName: string;
  route: Route;
  fetch: Fetch;
  /** Of this process; a child inherits its harmless part. */
  environment: Record<string, string | undefined>;
  /** Reaches this product's own tools. */
  builtin: () => Promise<OwnTools>;
  /** What a server says about itself may hold the secrets it was given. */
  redact: Redact;
  /** The limit of the handshake in milliseconds. */
  timeoutMs: number;
}

/** A connection to this product's own tools, and why it was ended where they did that. */
export interface OwnTools {
  transport: Transport;
  lastWords(): Promise<string>;
}

/** A client whose handshake is done. */
export interface Dialled {
  client: Client;
  /** What a server process said last, and how it ended; empty for other servers. */
  lastWords(): Promise<string>;
  close(): Promise<void>;
}

/** How long an HTTP server may take to forget a session, in milliseconds. */
const goodbyeMs = 1_000;

/**
 * Speaks to a server as nearly all of them expect; one that knows only the protocol of 2026 is asked again in that
 * one. (To ask every server for the newer protocol first would cost a process each, and ends some older ones.)
 * Throws ExecutionFailure('tool', 'server_unreachable'), or the signal's reason on abort.
 */
export async function dial(options: DialOptions, signal: AbortSignal): Promise<Dialled> {
  const first = await handshake(options, 'legacy', signal);
  if ('client' in first) return first;
  const second = speaksOnlyNewer(first.error) ? await handshake(options, 'auto', signal) : first;
  if ('client' in second) return second;
  throw serverUnreachable(options, second.error, second.lastWords);
}

async function handshake(
  options: DialOptions,
  mode: 'legacy' | 'auto',
  signal: AbortSignal,
): Promise<Dialled | { error: unknown; lastWords: string }> {
  const { transport, lastWords, farewell } = await link(options);
  const client = new Client({ name: 'assay', version: '1' }, { versionNegotiation: { mode } });
  const close = async () => {
    await farewell();
    await client.close();
    await transport.close();
  };
  try {
    await client.connect(transport, { timeout: options.timeoutMs, signal });
    return { client, lastWords, close };
  } catch (error) {
    const words = signal.aborted ? '' : await lastWords();
    await close();
    signal.throwIfAborted();
    return { error, lastWords: words };
  }
}

function speaksOnlyNewer(error: unknown): boolean {
  if (error instanceof ProtocolError) return error.code === ProtocolErrorCode.UnsupportedProtocolVersion;
  const code = String(ProtocolErrorCode.UnsupportedProtocolVersion);
  return error instanceof SdkHttpError && error.status === 400 && String(error.data.text).includes(code);
}

interface Link {
  transport: Transport;
  lastWords(): Promise<string>;
  /** Said before the connection is closed. */
  farewell(): Promise<void>;
}

const silent = async () => '';
const nothing = async () => {};

async function link({ route, fetch, environment, builtin, redact }: DialOptions): Promise<Link> {
  if (route.type === 'builtin') return { ...(await builtin()), farewell: nothing };
  if (route.type === 'stdio') {
    const transport = createStdioTransport({
      command: route.command,
      args: route.args,
      environment: childEnvironment(environment, route.env),
      maxBytes: incomingBytes,
      redact,
    });
    return { transport, lastWords: transport.lastWords, farewell: nothing };
  }
  const transport = new StreamableHTTPClientTransport(new URL(route.url), {
    fetch,
    requestInit: { headers: route.headers },
  });
  return {
    transport,
    lastWords: silent,
    // A server that cannot be told forgets the session by itself.
    farewell: () => Promise.race([transport.terminateSession().catch(() => {}), pause(goodbyeMs)]),
  };
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds).unref());
}
