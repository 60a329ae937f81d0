import { Server } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { type AssayClient, envelopeOf } from '../contract/client.ts';
import { messageOf } from '../core/errors.ts';
import type { Json } from '../core/json.ts';
import { renameFields, snakeCase } from '../core/text/key-case.ts';
import { describeTool, type OperationTool, operationTools } from './tools.ts';

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
      return success(tool, await tool.call(client, input, mcpReq.signal));
    } catch (error) {
      return failure(describe(error));
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

function success(tool: OperationTool, output: unknown) {
  const structuredContent = renameFields(output as Json, tool.outputSchema, 'snake') as {
    [field: string]: Json;
  };
  return { content: [{ type: 'text' as const, text: JSON.stringify(structuredContent) }], structuredContent };
}

function failure(text: string) {
  return { content: [{ type: 'text' as const, text }], isError: true };
}

/** The message, and each wrong field by the name it has here. */
function describe(error: unknown): string {
  const envelope = envelopeOf(error);
  if (envelope === null) return messageOf(error);
  const lines = envelope.details.map((detail) =>
    detail.field === undefined ? `- ${detail.message}` : `- ${snakeCase(detail.field)}: ${detail.message}`,
  );
  // the sentence about a wrong input names the fields as they are called inside
  const message =
    envelope.code === 'invalid_input' && lines.length > 0 ? 'The input is not valid.' : envelope.message;
  return [message, ...lines].join('\n');
}
