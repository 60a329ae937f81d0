import type { Transport } from '@modelcontextprotocol/client';
import type { Redact } from '../core/ports.ts';
import { readMessages } from './message-lines.ts';
import { type ServerProcess, startProcess } from './server-process.ts';

export interface StdioServer {
  command: string;
  args: string[];
  environment: Record<string, string>;
  /** The largest message in bytes. */
  maxBytes: number;
  /** What it prints may hold the secrets it was given. */
  redact: Redact;
}

/** A transport that can say what a server left behind when it ended. */
export interface StdioTransport extends Transport {
  lastWords(): Promise<string>;
}

/**
 * MCP over the pipes of a child process. The SDK's own transport copies its whole buffer for every chunk it reads (50 MB
 * took it 46 s, this one under a second), drops the connection at an oversized message, and ends only the process it
 * started itself, not the server that a launcher such as npx started.
 */
export function createStdioTransport(server: StdioServer): StdioTransport {
  let running: ServerProcess | null = null;
  const transport: StdioTransport = {
    async start() {
      const read = readMessages(
        {
          message: (message) => transport.onmessage?.(message),
          noise: (line) => running?.heard(line),
        },
        server.maxBytes,
      );
      running = await startProcess(server.command, server.args, server.environment, read);
      void running.ended.then(() => transport.onclose?.());
    },

    send(message) {
      return new Promise((resolve, reject) => {
        if (running === null) return reject(new Error('the server was not started'));
        running.stdin.write(`${JSON.stringify(message)}\n`, (error) => (error ? reject(error) : resolve()));
      });
    },

    async close() {
      await running?.end();
    },

    lastWords: async () => (await running?.lastWords(server.redact)) ?? '',
  };
  return transport;
}
