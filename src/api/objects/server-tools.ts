import { AssayError } from '../../core/errors.ts';
import { canonicalJson } from '../../core/json.ts';
import type { DiscoveredTool } from '../../core/ports.ts';
import type { WorkspaceTransaction } from '../../store/database.ts';
import { readServers, type StoredServer, writeTools } from '../../store/mcp-server.ts';
import type { OperationContext } from '../call/operation.ts';
import { discover } from './discovery.ts';
import { requireNamed } from './get-object.ts';
import { inSaving } from './saving.ts';

/** Whether a server can be reached now, and what it offers. Stores nothing. Throws `not_found`. */
export async function testServer(context: OperationContext, reference: string) {
  const server = await readServer(context, reference);
  const discovery = await discover(context.program.tools, context.workspace.id, server);
  if ('problem' in discovery) return { ok: false, message: `${discovery.problem}.`, tools: [] };
  const tools = discovery.tools.map(shownTool);
  return { ok: true, message: `MCP server "${server.name}" answers. ${countOf(tools.length)}.`, tools };
}

/** Keeps the tools that a server lists now. Throws `not_found`; `rule_violated` where the server cannot be asked, and
 *  `conflict` where it was changed while it was asked: then those stay that were known. */
export async function refreshTools(context: OperationContext, reference: string) {
  const server = await readServer(context, reference);
  const discovery = await discover(context.program.tools, context.workspace.id, server);
  if ('problem' in discovery) {
    throw new AssayError(
      'rule_violated',
      `${discovery.problem}. The tools of "${server.name}" stay as they were known.`,
      [{ field: 'id', value: reference, message: 'names a server that could not be asked' }],
    );
  }
  const { tools } = discovery;
  const toolsAt = context.program.clock.now();
  await inSaving(context, async ({ transaction, workspaceId, note }) => {
    const now = await requireServer(transaction, workspaceId, server.id);
    if (canonicalJson(now.transport) !== canonicalJson(server.transport)) {
      throw new AssayError(
        'conflict',
        `The MCP server "${now.name}" was changed while it was asked for its tools. Ask again.`,
        [{ field: 'id', value: reference, message: 'was changed while it was asked' }],
      );
    }
    await writeTools(transaction, workspaceId, { id: server.id, tools, toolsAt });
    note('refresh-tools', 'mcp-server', now);
  });
  return { tools: tools.map(shownTool), toolsAt: toolsAt.toISOString() };
}

/** A tool as operations show it. */
export function shownTool({ tool, description, annotations, inputSchema }: DiscoveredTool) {
  const { title, ...hints } = annotations;
  return {
    name: tool,
    ...(title === undefined ? {} : { title }),
    description,
    annotations: hints,
    inputSchema,
  };
}

function countOf(tools: number): string {
  if (tools === 0) return 'It offers no tools';
  return tools === 1 ? 'It offers one tool' : `It offers ${tools} tools`;
}

function readServer({ program, workspace }: OperationContext, reference: string): Promise<StoredServer> {
  return program.database.inSnapshot(workspace.id, (transaction) =>
    requireServer(transaction, workspace.id, reference),
  );
}

async function requireServer(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  reference: string,
): Promise<StoredServer> {
  const { name } = await requireNamed(transaction, workspaceId, 'mcp_server', reference);
  const [server] = await readServers(transaction, workspaceId, [name]);
  if (server === undefined) throw new Error(`The MCP server "${name}" is missing.`);
  return server;
}
