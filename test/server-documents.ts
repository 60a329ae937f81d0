// biome-ignore-all lint/suspicious/noTemplateCurlyInString: this is how documents write secrets
import type { AssayClient } from '../src/contract/client.ts';
import { unruly } from './tool-bench.ts';

export type ServerDocument = Parameters<AssayClient['mcpServers']['create']>[0];
type Secret = string | { template: string; value?: string };

/** A server over HTTP, by default at an address where none is. */
export function httpServer(
  name: string,
  { url = 'http://127.0.0.1:1/mcp', headers = {} }: { url?: string; headers?: Record<string, Secret> } = {},
): ServerDocument {
  return { name, transport: { type: 'http', url, headers } };
}

/** `servers/unruly.ts`. */
export function stdioServer(
  name: string,
  args: string[] = [],
  env: Record<string, Secret> = {},
): ServerDocument {
  const { transport } = unruly('unruly', args);
  return { name, transport: { ...transport, env } as ServerDocument['transport'] };
}

/** A secret with its value, and the same as it stands in a document that was read. */
export const token = { template: 'Bearer ${TOKEN}', value: 'Bearer canary-first' };
export const keptToken = { template: 'Bearer ${TOKEN}' };
