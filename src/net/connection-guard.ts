import dns from 'node:dns';
import http from 'node:http';
import https from 'node:https';
import type { LookupFunction, Socket } from 'node:net';
import { addressKind } from './addresses.ts';

/** Refuses an address, which is always one that a name was resolved to or that a socket is connected to. */
export class BlockedAddress extends Error {
  readonly address: string;

  constructor(address: string, why: string) {
    super(`the address ${address} ${why}`);
    this.name = 'BlockedAddress';
    this.address = address;
  }
}

export function assertAllowed(address: string, allowPrivate: boolean): void {
  const kind = addressKind(address);
  if (kind === 'forbidden') {
    throw new BlockedAddress(address, 'is never called (cloud metadata, link-local, multicast or reserved)');
  }
  if (kind === 'private' && !allowPrivate) {
    const why =
      'belongs to a private network, which this installation does not call (ASSAY_ALLOW_PRIVATE_NETWORK)';
    throw new BlockedAddress(address, why);
  }
}

/** Resolves a name and refuses it where any of its addresses is refused; the connection uses exactly these addresses. */
export function guardedLookup(allowPrivate: boolean, lookup: LookupFunction = dns.lookup): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error !== null) return callback(error, '');
      const addresses = Array.isArray(found) ? found : [];
      try {
        for (const { address } of addresses) assertAllowed(address, allowPrivate);
      } catch (blocked) {
        return callback(blocked as Error, '');
      }
      const [first] = addresses;
      if (options.all === true) callback(null, addresses);
      else if (first === undefined) callback(new Error(`no address found for ${hostname}`), '');
      else callback(null, first.address, first.family);
    });
  };
}

/** Keep-alive agents whose sockets carry nothing unless the address at their other end is allowed. */
export function guardedAgents(allowPrivate: boolean): { http: http.Agent; https: https.Agent } {
  const agents = { http: new http.Agent({ keepAlive: true }), https: new https.Agent({ keepAlive: true }) };
  for (const agent of [agents.http, agents.https]) {
    const connect = agent.createConnection.bind(agent);
    agent.createConnection = (options, callback) => {
      const socket = connect(options, callback) as Socket;
      // The first listener of all: what was written before the connection stood is sent by a later one.
      socket.prependOnceListener('connect', () => {
        try {
          assertAllowed(socket.remoteAddress ?? '', allowPrivate);
        } catch (error) {
          socket.destroy(error as Error);
        }
      });
      return socket;
    };
  }
  return agents;
}
