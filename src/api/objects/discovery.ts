import type { McpServerDocument } from '../../core/documents/mcp-server.ts';
import { AssayError, ExecutionFailure } from '../../core/errors.ts';
import type { SealedTransport } from '../../core/frozen.ts';
import type { DiscoveredTool, Tools } from '../../core/ports.ts';

/** What a server said of its tools; null: it could not be asked, and `warning` says why. */
export interface Discovery {
  tools: DiscoveredTool[] | null;
  warning: string | null;
}

const patienceMs = 20_000;

/** Asks a server for its tools. One that does not answer is no obstacle to saving it. */
export async function discover(
  tools: Tools,
  { name, profile, isolation }: Pick<McpServerDocument, 'name' | 'profile' | 'isolation'>,
  transport: SealedTransport,
  waitMs = patienceMs,
): Promise<Discovery> {
  const patience = AbortSignal.timeout(waitMs);
  const target = { mode: 'real' as const, endpoint: null };
  try {
    const found = await tools.discover({ id: name, name, transport, profile, isolation, target }, patience);
    return { tools: found, warning: null };
  } catch (error) {
    return {
      tools: null,
      warning: `${patience.aborted ? late(waitMs) : reasonOf(error)}. Its tools are not known until it is applied again.`,
    };
  }
}

function late(waitMs: number): string {
  return `It did not list its tools within ${waitMs / 1000} s`;
}

function reasonOf(error: unknown): string {
  if (error instanceof ExecutionFailure || error instanceof AssayError)
    return error.message.replace(/\.$/, '');
  throw error;
}
