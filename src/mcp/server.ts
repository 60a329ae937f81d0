import { Server } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { AssayClient } from '../contract/client.ts';
import { ExecutionFailure } from '../core/errors.ts';
import type { Json } from '../core/json.ts';
import { renameFields } from '../core/text/key-case.ts';
import { describeRefusal, failure, success } from './answer.ts';
import { withHeartbeat } from './heartbeat.ts';
import { describeTool, type OperationTool, operationTools } from './tools.ts';

interface Serving {
  tools?: readonly OperationTool[] | undefined;
  /** Rejects where the caller of a call that goes on is let in no more. */
  stands?: () => Promise<unknown>;
  /** Hears of a call that failed for no fault of whoever made it. */
  broken?: (failure: ExecutionFailure) => void;
}

/** The product's MCP server: each operation that the contract offers over MCP as a tool, called through `client`. Without
 *  one they can only be listed. */
export function createMcpServer(
  client: AssayClient | null,
  version: string,
  { tools = operationTools(), stands = async () => {}, broken = () => {} }: Serving = {},
): Server {
  const server = new Server({ name: 'assay', version }, { capabilities: { tools: {} } });
  server.setRequestHandler('tools/list', () => ({ tools: tools.map(describeTool) }));
  server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
    const tool = tools.find(({ name }) => name === params.name);
    if (tool === undefined) return failure(`There is no tool "${params.name}".`);
    if (client === null) return failure('The tools are only listed here.');
    try {
      const input = renameFields((params.arguments ?? {}) as Json, tool.inputSchema, 'camel');
      const output = await withHeartbeat(mcpReq, (signal) => tool.call(client, input, signal), stands);
      return success(tool, output);
    } catch (error) {
      if (error instanceof ExecutionFailure) broken(error);
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
