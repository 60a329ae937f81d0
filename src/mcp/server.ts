import { Server } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { AssayClient } from '../contract/client.ts';
import type { Json } from '../core/json.ts';
import { renameFields } from '../core/text/key-case.ts';
import { describeRefusal, failure, success } from './answer.ts';
import { withHeartbeat } from './heartbeat.ts';
import { describeTool, operationTools } from './tools.ts';

/** The product's MCP server: each operation that the contract offers over MCP as a tool, called through `client`. Without
 *  one they can only be listed. */
export function createMcpServer(
  client: AssayClient | null,
  version: string,
  tools = operationTools(),
): Server {
  const server = new Server({ name: 'assay', version }, { capabilities: { tools: {} } });
  server.setRequestHandler('tools/list', () => ({ tools: tools.map(describeTool) }));
  server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
    const tool = tools.find(({ name }) => name === params.name);
    if (tool === undefined) return failure(`There is no tool "${params.name}".`);
    if (client === null) return failure('The tools are only listed here.');
    try {
      const input = renameFields((params.arguments ?? {}) as Json, tool.inputSchema, 'camel');
      const output = await withHeartbeat(mcpReq, () => tool.call(client, input, mcpReq.signal));
      return success(tool, output);
    } catch (error) {
      return failure(describeRefusal(error));
    }
  });
  return server;
}

/** Serves standard input and output until the other side hangs up or `signal` aborts. */
export async function speakMcpOverStdio(
  client: AssayClient,
  version: string,
  signal: AbortSignal,
): Promise<void> {
  const ended = Promise.withResolvers<void>();
  const handle = serveStdio(() => {
    const server = createMcpServer(client, version);
    server.onclose = ended.resolve;
    return server;
  });
  process.stdin.once('end', ended.resolve);
  signal.addEventListener('abort', () => ended.resolve(), { once: true });
  await ended.promise;
  await handle.close();
}
