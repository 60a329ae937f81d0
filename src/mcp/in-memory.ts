import { InMemoryTransport, type Transport } from '@modelcontextprotocol/server';
import type { AssayClient } from '../contract/client.ts';
import type { ExecutionFailure } from '../core/errors.ts';
import { createMcpServer } from './server.ts';
import type { OperationTool } from './tools.ts';

/** Serves the product's own tools to a client in this process, and gives the client's end of the connection. Without
 *  operations to call (null) the tools can only be listed. A call that fails for no fault of whoever made it ends the
 *  connection; why is what was said last. */
export async function serveInMemory(
  client: AssayClient | null,
  version: string,
  tools?: readonly OperationTool[],
): Promise<{ transport: Transport; lastWords(): Promise<string> }> {
  const [near, far] = InMemoryTransport.createLinkedPair();
  let words = '';
  const broken = ({ message }: ExecutionFailure) => {
    words ||= message;
    void near.close();
  };
  await createMcpServer(client, version, { tools, broken }).connect(near);
  return { transport: far, lastWords: async () => words };
}
