// An MCP server with one tool that answers at once, made of the SDK and nothing else: the peer of `serving.ts`. With
// `http` it prints its address and answers there, else over standard input and output.
import { serve } from '@hono/node-server';
import { createMcpHandler, Server } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';

const answer = { items: [], next_cursor: null };

function bareServer(): Server {
  const server = new Server({ name: 'bare', version: '1' }, { capabilities: { tools: {} } });
  server.setRequestHandler('tools/list', () => ({
    tools: [{ name: 'list-prompts', inputSchema: { type: 'object' as const } }],
  }));
  server.setRequestHandler('tools/call', () => ({
    content: [{ type: 'text' as const, text: JSON.stringify(answer) }],
    structuredContent: answer,
  }));
  return server;
}

if (process.argv[2] === 'http') {
  const handler = createMcpHandler(bareServer);
  serve({ fetch: (request) => handler.fetch(request), hostname: '127.0.0.1', port: 0 }, ({ port }) =>
    console.log(`http://127.0.0.1:${port}/mcp`),
  );
} else {
  serveStdio(bareServer);
}
