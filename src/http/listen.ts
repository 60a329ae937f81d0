import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { AssayError } from '../core/errors.ts';

export interface Listening {
  /** Without a slash at its end. */
  url: string;
  /** Takes no further request, lets those in work end for a moment, then cuts what is left, such as event streams. */
  close(): Promise<void>;
}

const closeWithinMs = 3_000;

/** Listens on an address; port 0 takes a free one. Throws `unavailable` where the port or the address is not to be had. */
export async function listen(
  fetch: (request: Request) => Response | Promise<Response>,
  { host, port }: { host: string; port: number },
): Promise<Listening> {
  const server = createServer(getRequestListener(fetch));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  }).catch((error: NodeJS.ErrnoException) => {
    const why = error.code === 'EADDRINUSE' ? 'is in use' : `cannot be used (${error.code ?? error.message})`;
    throw new AssayError('unavailable', `Port ${port} on ${host} ${why}. Choose another one with --port.`);
  });
  return {
    url: urlOf(server.address() as AddressInfo),
    close: () =>
      new Promise((resolve) => {
        const cut = setTimeout(() => server.closeAllConnections(), closeWithinMs);
        server.close(() => {
          clearTimeout(cut);
          resolve();
        });
        server.closeIdleConnections();
      }),
  };
}

function urlOf({ address, family, port }: AddressInfo): string {
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}
