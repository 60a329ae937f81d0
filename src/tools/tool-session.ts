import { ExecutionFailure } from '../core/errors.ts';
import type { FrozenServer } from '../core/frozen.ts';
import type { Json, JsonObject } from '../core/json.ts';
import { offeredTools } from '../core/offered-tools.ts';
import type {
  Clock,
  ModelTool,
  Random,
  Redact,
  ToolAnswer,
  ToolCall,
  ToolScope,
  ToolSession,
} from '../core/ports.ts';
import { redactedResult } from '../core/redacted-result.ts';
import { closestName } from '../core/text/closest-name.ts';
import type { EventData, OfferedTool } from '../core/trace.ts';
import { quote } from '../net/quote.ts';
import type { Lease } from './client-pool.ts';
import { answerByFixture } from './fixture-answer.ts';
import { sendingAlong } from './sent-along.ts';
import { ToolFailure } from './tool-failure.ts';
import { modelNames } from './tool-names.ts';
import { cutText, keptResult, modelText } from './tool-result.ts';

export interface SessionOptions {
  scope: ToolScope;
  clock: Clock;
  random: Random;
  redact: Redact;
  /** The limit of one call of a server, in milliseconds. */
  limitOf(server: FrozenServer): number;
  /** Headers that the calls of a conversation carry over HTTP. */
  sentAlong?(scope: ToolScope): Record<string, string>;
}

export interface SessionServer {
  server: FrozenServer;
  lease: Lease;
}

interface Found {
  server: FrozenServer;
  lease: Lease;
  tool: OfferedTool;
}

/** How a call ended, as the trace tells it and as the model reads it. */
interface Ending {
  result?: Json;
  error?: { code: string; message: string };
  isError: boolean;
  text: string;
}

/** The tools of one conversation over the servers it leased. */
export function createToolSession(servers: SessionServer[], options: SessionOptions): ToolSession {
  const { scope, clock, random, redact, sentAlong = () => ({}) } = options;
  const offered = offeredTools(
    servers.map(({ server, lease }) => ({ server: server.name, tools: lease.connection.tools })),
  );
  const names = modelNames(offered.map(({ name }) => name));
  const owners = servers.flatMap(({ server, lease }) =>
    lease.connection.tools.map(() => ({ server, lease })),
  );
  const byName = new Map<string, Found>();
  const forModel: ModelTool[] = offered.map((tool, index) => {
    const name = names[index] as string;
    byName.set(name, { ...(owners[index] as SessionServer), tool });
    return { name, description: tool.description, inputSchema: tool.inputSchema };
  });

  const ask = async (call: ToolCall, found: Found | undefined, signal: AbortSignal): Promise<Ending> => {
    if (found === undefined) throw new ToolFailure('unknown_tool', unknownTool(call.name, names));
    const args = validArguments(call, redact);
    answerByFixture(found.server, found.tool.tool, scope);
    const { connection } = found.lease;
    const limitMs = options.limitOf(found.server);
    const result = await sendingAlong(sentAlong(scope), () =>
      connection.call(found.tool.tool, args, limitMs, signal),
    );
    // Redacted before anything is cut off: a cut could leave a part of a secret.
    const kept = redactedResult(keptResult(result), redact);
    return { result: kept, isError: result.isError === true, text: modelText(kept) };
  };

  const run = async (call: ToolCall, found: Found | undefined, signal: AbortSignal): Promise<Ending> => {
    try {
      return await ask(call, found, signal);
    } catch (error) {
      const failure = signal.aborted ? new ToolFailure('aborted', 'The call was aborted.') : error;
      if (!(failure instanceof ToolFailure)) throw failure;
      const message = redact(failure.message);
      return { error: { code: failure.code, message }, isError: true, text: cutText(message) };
    }
  };

  return {
    offered,
    forModel,

    async callAll(calls, emit, parent, signal) {
      signal.throwIfAborted();
      const batch = random.id();
      const sent = calls.map((call) => {
        const found = byName.get(call.name);
        return { call, found, event: emit(called(call, found, batch), parent) };
      });
      let lost: string | null = null;
      const answers = await Promise.all(
        sent.map(async ({ call, found, event }): Promise<ToolAnswer> => {
          const started = clock.monotonicMs();
          const { text, ...ending } = await run(call, found, signal);
          if (ending.error?.code === 'transport') lost ??= ending.error.message;
          const durationMs = Math.round(clock.monotonicMs() - started);
          emit(
            { kind: 'tool_returned', data: { callId: call.callId, ...ending, ...unmocked, durationMs } },
            event,
          );
          return { callId: call.callId, text, isError: ending.isError };
        }),
      );
      signal.throwIfAborted();
      // Whether the call did its work is not known, and no later one can: nothing that follows may be judged.
      if (lost !== null) throw new ExecutionFailure('tool', 'server_lost', lost);
      return answers;
    },

    async close() {
      await Promise.all(servers.map(({ lease }) => lease.release()));
    },
  };
}

const unmocked = { mocked: false, rule: null, seed: null, waitedMs: null };

function called(call: ToolCall, found: Found | undefined, batch: string) {
  const { callId, name } = call;
  const tool = found?.tool.tool ?? name;
  // A call that will not be sent has no server: no check may take it for one that ran.
  const server = found !== undefined && 'args' in call ? found.tool.server : null;
  const args = 'args' in call ? call.args : call.unreadableArgs;
  const data: EventData['tool_called'] = { callId, batch, server, tool, args };
  return { kind: 'tool_called' as const, data };
}

function unknownTool(name: string, names: string[]): string {
  const closest = closestName(name, names);
  return closest === null
    ? `There is no tool "${name}": no tool is offered here.`
    : `There is no tool "${name}". The closest one offered is "${closest}".`;
}

/** A model writes its arguments as text, which need not be JSON. */
function validArguments(call: ToolCall, redact: Redact): JsonObject {
  if ('args' in call) return call.args;
  throw new ToolFailure(
    'invalid_arguments',
    `The arguments of "${call.name}" are not a JSON object, so nothing was sent: ${quote(call.unreadableArgs, 200, redact)}`,
  );
}
