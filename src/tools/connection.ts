import {
  type CallToolResult,
  type Client,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  type Tool,
} from '@modelcontextprotocol/client';
import type { JsonObject } from '../core/json.ts';
import type { DiscoveredTool } from '../core/ports.ts';
import { type Dialled, type DialOptions, dial } from './dial.ts';
import { discoveredTool } from './discovered-tool.ts';
import { serverUnreachable, why } from './failure-text.ts';
import { ToolFailure } from './tool-failure.ts';

/** An MCP client that has listed the tools of its server. */
export interface Connection {
  readonly tools: DiscoveredTool[];
  /** False once the server has ended or is out of reach: no conversation should begin with this connection. */
  isOpen(): boolean;
  /** Throws ToolFailure where no result comes, the signal's reason on abort. */
  call(tool: string, args: JsonObject, timeoutMs: number, signal: AbortSignal): Promise<CallToolResult>;
  close(): Promise<void>;
}

/** How long a server that let a stream drop may take to show that it still lives, in milliseconds. */
const lifeSignMs = 5_000;

/** Throws ExecutionFailure('tool', 'server_unreachable') with the cause, or the signal's reason on abort. */
export async function connect(options: DialOptions, signal: AbortSignal): Promise<Connection> {
  const dialled = await dial(options, signal);
  try {
    return connected(options, dialled, await listTools(dialled, options.timeoutMs, signal));
  } catch (error) {
    const words = signal.aborted ? '' : await dialled.lastWords();
    await dialled.close();
    signal.throwIfAborted();
    throw serverUnreachable(options, error, words);
  }
}

async function listTools({ client }: Dialled, timeout: number, signal: AbortSignal): Promise<Tool[]> {
  // Asked all the same, the SDK would print a line to the console.
  if (client.getServerCapabilities()?.tools === undefined) return [];
  const { tools } = await client.listTools(undefined, { timeout, signal });
  return tools;
}

function connected(options: DialOptions, { client, lastWords, close }: Dialled, tools: Tool[]): Connection {
  const definitions = new Map(tools.map((tool) => [tool.name, tool]));
  const lost = lossOf(client);
  return {
    tools: tools.map(discoveredTool),
    isOpen: () => !lost.aborted,
    close,

    async call(tool, args, timeout, signal) {
      const { outputSchema: _, ...definition } = definitions.get(tool) ?? {
        name: tool,
        inputSchema: anyObject,
      };
      try {
        // Without its output schema the SDK hands a result over as it came: what a server really answered is the fact.
        return await client.callTool(
          { name: tool, arguments: args },
          { timeout, signal: AbortSignal.any([signal, lost]), toolDefinition: definition },
        );
      } catch (error) {
        signal.throwIfAborted();
        const place = `MCP server "${options.serverName}"`;
        if (lost.aborted || !isAnswer(error)) {
          const cause = why(lost.aborted ? lost.reason : error, await lastWords(), options.redact);
          throw new ToolFailure('transport', `${place} was lost while it ran "${tool}". ${cause}`, {
            cause: error,
          });
        }
        if (error.code === SdkErrorCode.RequestTimeout) {
          const text = `"${tool}" of ${place} did not answer within ${timeout / 1000} s, the limit of its profile.`;
          throw new ToolFailure('timeout', text, { cause: error });
        }
        const text = `${place} answered "${tool}" with a protocol error (${error.code}): ${error.message}`;
        throw new ToolFailure('protocol', text, { cause: error });
      }
    },
  };
}

const anyObject = { type: 'object' } as const;

/** Whether the connection stood: the server answered, if not with a result, or ran out of time. */
function isAnswer(error: unknown): error is ProtocolError | SdkError {
  if (error instanceof ProtocolError) return true;
  const answers: string[] = [
    SdkErrorCode.RequestTimeout,
    SdkErrorCode.InvalidResult,
    SdkErrorCode.UnsupportedResultType,
    SdkErrorCode.InputRequiredRoundsExceeded,
  ];
  return error instanceof SdkError && answers.includes(error.code);
}

/**
 * Aborts when the server is gone, with the cause. A closed connection says so itself; over HTTP the SDK only reports
 * that a stream broke off and would let the call wait for its time limit, so the server is asked whether it still lives.
 */
function lossOf(client: Client): AbortSignal {
  const lost = new AbortController();
  let asking = false;
  client.onclose = () => lost.abort(new SdkError(SdkErrorCode.ConnectionClosed, 'The connection was closed'));
  client.onerror = async () => {
    if (asking || lost.signal.aborted) return;
    asking = true;
    try {
      const options = { timeout: lifeSignMs };
      await (client.getProtocolEra() === 'modern' ? client.discover(options) : client.ping(options));
    } catch (error) {
      if (!(error instanceof ProtocolError)) lost.abort(error);
    } finally {
      asking = false;
    }
  };
  return lost.signal;
}
