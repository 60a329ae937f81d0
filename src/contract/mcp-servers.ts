import { z } from 'zod';
import { mcpServerDocument, targetInput, targetMode } from '../core/documents/mcp-server.ts';
import { nounContract, reference } from './noun.ts';
import { operation } from './operation.ts';

/** A tool as its server describes it. Hints that the server does not give are absent. */
const offeredTool = z.object({
  name: z.string(),
  title: z.string().optional(),
  description: z.string(),
  annotations: z.record(z.string(), z.json()),
  inputSchema: z.record(z.string(), z.json()),
});

const discovered = {
  /** null: nobody has looked yet. */
  toolsAt: z.string().nullable(),
};

const tools = z.object({ tools: z.array(offeredTool), toolsAt: z.string().nullable() });

export const mcpServersContract = {
  ...nounContract({
    noun: 'mcp_server',
    document: mcpServerDocument,
    item: { ...discovered, transport: z.enum(['stdio', 'http', 'builtin']), tools: z.int().nullable() },
    more: { ...discovered, tools: z.array(offeredTool).nullable() },
  }),
  test: operation({
    method: 'POST',
    path: '/mcp-servers/{id}/test',
    summary: 'Connect to an MCP server and list its tools; nothing is stored',
    role: 'editor',
    mcp: { name: 'test-mcp-server', readOnly: true, destructive: false },
  })
    .input(reference)
    .output(z.object({ ok: z.boolean(), message: z.string(), tools: z.array(offeredTool) })),
  refreshTools: operation({
    method: 'POST',
    path: '/mcp-servers/{id}/tools/refresh',
    summary: 'Ask an MCP server again which tools it offers, and keep the answer',
    role: 'editor',
    mcp: { name: 'refresh-mcp-server-tools', readOnly: false, destructive: false },
  })
    .input(reference)
    .output(tools),
  setTarget: operation({
    method: 'PUT',
    path: '/mcp-servers/{id}/targets/{environment}',
    summary: 'Say where the calls of an MCP server go in an environment',
    role: 'editor',
    mcp: { name: 'set-mcp-server-target', readOnly: false, destructive: false },
  })
    .input(
      targetInput.extend({
        id: z.string().min(1, 'is needed'),
        /** Name or id. */
        environment: z.string().min(1, 'is needed'),
      }),
    )
    .output(
      z.object({
        server: z.string(),
        environment: z.string(),
        mode: targetMode,
        endpoint: z.string().nullable(),
      }),
    ),
};
