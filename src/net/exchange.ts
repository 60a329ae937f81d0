import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import type { LookupFunction } from 'node:net';
import { pipeline, type Readable, type Transform } from 'node:stream';
import { ReadableStream } from 'node:stream/web';
import zlib from 'node:zlib';
import { BlockedAddress } from './connection-guard.ts';
import { OutsideCallError } from './outside-call-error.ts';

export interface Outgoing {
  url: URL;
  method: string;
  headers: Headers;
  body: Buffer | null;
  signal: AbortSignal;
}

export interface ExchangeOptions {
  agents: { http: http.Agent; https: https.Agent };
  lookup: LookupFunction;
  /** The largest response body, in bytes. */
  maxBytes: number;
  /** The longest wait for a connection, in milliseconds. */
  connectMs: number;
  /** The longest silence before and during the response, in milliseconds. */
  idleMs: number;
}

/** One request and its response, redirects included as they are. Rejects with OutsideCallError, or the signal's reason. */
export function exchange(outgoing: Outgoing, options: ExchangeOptions): Promise<Response> {
  const { url, signal } = outgoing;
  return new Promise((resolve, reject) => {
    const secure = url.protocol === 'https:';
    const request = (secure ? https : http).request(url, {
      method: outgoing.method,
      headers: headersFor(outgoing),
      agent: secure ? options.agents.https : options.agents.http,
      lookup: options.lookup,
      signal,
    });
    const failed = (error: Error) => reject(signal.aborted ? signal.reason : described(error, url));
    const connecting = setTimeout(() => {
      request.destroy(timeoutError(url, `no connection within ${options.connectMs} ms`));
    }, options.connectMs);
    request.once('socket', (socket) => {
      if (!socket.connecting) clearTimeout(connecting);
      socket.once(secure ? 'secureConnect' : 'connect', () => clearTimeout(connecting));
    });
    request.setTimeout(options.idleMs, () => {
      request.destroy(timeoutError(url, `no answer for ${options.idleMs} ms`));
    });
    request.once('close', () => clearTimeout(connecting));
    request.on('error', failed);
    request.once('response', (message) => {
      try {
        resolve(toResponse(message, outgoing, options.maxBytes));
      } catch (error) {
        message.destroy();
        failed(error as Error);
      }
    });
    request.end(outgoing.body ?? undefined);
  });
}

function headersFor({ headers, body }: Outgoing): Record<string, string> {
  return {
    accept: '*/*',
    'accept-encoding': 'identity',
    'user-agent': 'assay',
    ...Object.fromEntries(headers),
    ...(body === null ? {} : { 'content-length': String(body.length) }),
  };
}

const statusWithoutBody = new Set([204, 205, 304]);
const decoders: Record<string, () => Transform> = {
  gzip: zlib.createGunzip,
  'x-gzip': zlib.createGunzip,
  deflate: zlib.createInflate,
  br: zlib.createBrotliDecompress,
};

function toResponse(message: IncomingMessage, { url, method }: Outgoing, maxBytes: number): Response {
  const status = message.statusCode ?? 0;
  const headers = new Headers();
  for (let index = 0; index + 1 < message.rawHeaders.length; index += 2) {
    headers.append(message.rawHeaders[index] ?? '', message.rawHeaders[index + 1] ?? '');
  }
  const init = { status, statusText: message.statusMessage ?? '', headers };
  if (method === 'HEAD' || statusWithoutBody.has(status)) {
    message.resume();
    return new Response(null, init);
  }
  const decode = decoders[headers.get('content-encoding')?.toLowerCase() ?? ''];
  if (decode !== undefined) for (const name of ['content-encoding', 'content-length']) headers.delete(name);
  // An error of the message reaches the reader through the decoder; the callback is what keeps it from being thrown.
  const source: Readable = decode === undefined ? message : pipeline(message, decode(), () => {});
  return new Response(ReadableStream.from(limited(source, url, maxBytes)), init);
}

async function* limited(source: Readable, url: URL, maxBytes: number): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const chunk of source as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    if (bytes > maxBytes) {
      const text = `The response of ${place(url)} is larger than ${maxBytes} bytes.`;
      throw new OutsideCallError('response_too_large', place(url), text);
    }
    yield chunk;
  }
}

/** Where a call goes, without a query that may hold a key. */
export function place(url: URL): string {
  return `${url.origin}${url.pathname}`;
}

function timeoutError(url: URL, cause: string): OutsideCallError {
  return new OutsideCallError('timeout', place(url), `Calling ${place(url)} took too long: ${cause}.`);
}

export function blocked(url: URL, cause: BlockedAddress): OutsideCallError {
  const text = `Calling ${place(url)} was refused: ${cause.message}.`;
  return new OutsideCallError('blocked_address', place(url), text, { cause });
}

const causes: Record<string, string> = {
  ECONNREFUSED: 'the connection was refused; is the server running, and is the port right?',
  ECONNRESET: 'the server closed the connection',
  ENOTFOUND: 'there is no host of that name',
  EAI_AGAIN: 'the name could not be looked up',
  EHOSTUNREACH: 'there is no route to the host',
  ENETUNREACH: 'there is no route to the network',
};

function described(error: Error, url: URL): OutsideCallError {
  if (error instanceof OutsideCallError) return error;
  if (error instanceof BlockedAddress) {
    return blocked(url, error);
  }
  const code = (error as NodeJS.ErrnoException).code ?? '';
  const why = causes[code] ?? error.message;
  const text = `${place(url)} could not be reached: ${why}${code === '' ? '' : ` (${code})`}.`;
  return new OutsideCallError('unreachable', place(url), text.replace('?.', '?'), { cause: error });
}
