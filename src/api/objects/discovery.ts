import { AssayError, ExecutionFailure } from '../../core/errors.ts';
import type { FrozenServer } from '../../core/frozen.ts';
import type { DiscoveredTool, Tools } from '../../core/ports.ts';

/** What a server said of its tools, or why it could not be asked: a sentence without its full stop. */
export type Discovery = { tools: DiscoveredTool[] } | { problem: string };

const patienceMs = 20_000;

/** Connects to a server of the workspace and asks for its tools. */
export async function discover(
  tools: Tools,
  workspaceId: string,
  server: Omit<FrozenServer, 'id' | 'target'>,
  waitMs = patienceMs,
): Promise<Discovery> {
  const patience = AbortSignal.timeout(waitMs);
  const target = { mode: 'real' as const, endpoint: null };
  try {
    return { tools: await tools.discover({ ...server, id: server.name, target }, workspaceId, patience) };
  } catch (error) {
    return { problem: patience.aborted ? late(server.name, waitMs) : reasonOf(error) };
  }
}

function late(name: string, waitMs: number): string {
  return `MCP server "${name}" did not list its tools within ${waitMs / 1000} s`;
}

function reasonOf(error: unknown): string {
  if (error instanceof ExecutionFailure || error instanceof AssayError)
    return error.message.replace(/\.$/, '');
  throw error;
}
