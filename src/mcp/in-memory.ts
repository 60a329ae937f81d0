import { InMemoryTransport, type Transport } from '@modelcontextprotocol/server';
import type { AssayClient } from '../contract/client.ts';
import { createMcpServer } from './server.ts';
import type { OperationTool } from './tools.ts';

/** Serves the product's own tools to a client in this process, and gives the client's end of the connection. Without
 *  operations to call (null) the tools can only be listed. */
export async function serveInMemory(
  client: AssayClient | null,
  version: string,
  tools?: readonly OperationTool[],
): Promise<Transport> {
  const [near, far] = InMemoryTransport.createLinkedPair();
  await createMcpServer(client, version, tools).connect(near);
  return far;
}
