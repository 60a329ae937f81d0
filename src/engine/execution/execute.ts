import { observedNames } from '../../core/checks/registry.ts';
import { everyCheck, type TestCaseDefinition } from '../../core/documents/test-case.ts';
import { ExecutionFailure } from '../../core/errors.ts';
import type { FrozenAgent } from '../../core/frozen.ts';
import type {
  Clock,
  Conversation,
  Models,
  Observe,
  Random,
  RedactFor,
  Subject,
  Tools,
} from '../../core/ports.ts';
import { secretScope } from '../../core/secret-scope.ts';
import type { Emit, EndReason, EventData, ExecutionStatus, TraceEvent } from '../../core/trace.ts';
import type { Say } from './drivers/driver.ts';
import { driverOf } from './drivers/registry.ts';
import { type CapPayload, createEmitter, type TraceSink } from './emitter.ts';
import { stoppable, within } from './patience.ts';

/** What an execution is handed from outside. */
export interface ExecutionPorts {
  subjects: { [Kind in FrozenAgent['kind']]: Subject };
  models: Models;
  tools: Tools;
  observe: Observe;
  redactFor: RedactFor;
  capPayload: CapPayload;
  clock: Clock;
  random: Random;
}

/** One conversation to be held. */
export interface ExecutionOrder {
  workspaceId: string;
  runId: string;
  executionId: string;
  /** Name of the environment. */
  environment: string;
  agent: FrozenAgent;
  contentHash: string;
  /** With `{{run}}` filled in. */
  definition: TestCaseDefinition;
}

export interface ExecutionEnd {
  status: ExecutionStatus;
  endReason: EndReason | null;
  /** The whole trace, as it is stored. */
  events: TraceEvent[];
}

const closeLimitMs = 5_000;

/** Holds one conversation and gives its trace, which begins with what was offered and ends with how it ended. Whatever
 *  goes wrong is a `failure` in it; this throws only where the sink does. An abort ends it within two seconds, if the
 *  subject lets itself be closed. */
export async function execute(
  order: ExecutionOrder,
  ports: ExecutionPorts,
  sink: TraceSink,
  signal: AbortSignal,
): Promise<ExecutionEnd> {
  const redact = ports.redactFor(secretScope(order.workspaceId, order.agent));
  const { emit, trace, close } = createEmitter({ ...ports, redact }, sink);
  const driver = driverOf(order.definition.conversation.type);
  let status = 'completed' as ExecutionStatus;
  let endReason: EndReason | null = null;

  const failed = (error: unknown) => {
    if (signal.aborted) {
      status = 'aborted';
      return;
    }
    if (status === 'completed') status = 'failed';
    emit({ kind: 'failure', data: failureOf(error) });
  };
  const attempt = async (step: () => Promise<void>) => {
    try {
      await step();
    } catch (error) {
      failed(error);
    }
  };

  const { before, conversation, problem } = await begin(order, ports, emit, signal);
  emit({
    kind: 'execution_started',
    data: startOf(order, conversation, driver.input(order.definition.conversation)),
  });
  for (const data of before) emit({ kind: 'observed', data });
  if (conversation === null) {
    failed(problem);
  } else {
    const say: Say = async (turn) => {
      signal.throwIfAborted();
      const seq = emit({ kind: 'user_message', data: turn });
      return conversation.send(turn, seq);
    };
    await attempt(async () => {
      const talk = driver.run(order.definition.conversation, say);
      endReason = await stoppable(talk, signal, ports.clock);
    });
    await attempt(() => within(conversation.close(), closeLimitMs, ports.clock, notClosed));
    await attempt(async () => {
      for (const data of await look('after', order, ports, signal)) emit({ kind: 'observed', data });
    });
  }
  emit({ kind: 'execution_finished', data: { status, endReason } });
  close();
  return { status, endReason, events: trace() };
}

/** The start is a fact only when it is known what was really offered, so everything before it is kept until then. */
async function begin(order: ExecutionOrder, ports: ExecutionPorts, emit: Emit, signal: AbortSignal) {
  let before: Observed[] = [];
  try {
    before = await look('before', order, ports, signal);
    return { before, conversation: await open(order, ports, emit, signal), problem: null };
  } catch (problem) {
    return { before, conversation: null, problem };
  }
}

async function open(
  order: ExecutionOrder,
  ports: ExecutionPorts,
  emit: Emit,
  signal: AbortSignal,
): Promise<Conversation> {
  signal.throwIfAborted();
  const { workspaceId, runId, executionId, environment, agent } = order;
  const { clock, random, models, tools } = ports;
  const session = {
    workspaceId,
    runId,
    executionId,
    environment,
    emit,
    signal,
    clock,
    random,
    models,
    tools,
  };
  const opening = ports.subjects[agent.kind].open(agent, session);
  try {
    return await stoppable(opening, signal, clock);
  } catch (error) {
    // one that opens after all has nobody to talk to
    opening.then((late) => late.close()).catch(() => {});
    throw error;
  }
}

type Observed = EventData['observed'];

/** Looks for every object that a check of the case names. */
function look(
  when: Observed['when'],
  { workspaceId, definition }: ExecutionOrder,
  { observe }: ExecutionPorts,
  signal: AbortSignal,
): Promise<Observed[]> {
  return Promise.all(
    observedNames(everyCheck(definition)).map(async ({ object, name }) => {
      try {
        return { object, name, when, ...(await observe(workspaceId, object, name, signal)) };
      } catch (cause) {
        const message = `Could not look for the ${object} "${name}": ${messageOf(cause)}`;
        throw new ExecutionFailure('engine', 'observe_failed', message, { cause });
      }
    }),
  );
}

function startOf(
  { agent, contentHash, environment, definition }: ExecutionOrder,
  conversation: Conversation | null,
  input: EventData['execution_started']['input'],
): EventData['execution_started'] {
  return {
    subject: {
      kind: 'agent',
      id: agent.agent.id,
      name: agent.agent.name,
      versionId: agent.version.id,
      version: agent.version.name,
    },
    contentHash,
    environment,
    driver: definition.conversation.type,
    input,
    offered: conversation?.offered ?? { tools: [], skills: [] },
  };
}

const notClosed = new ExecutionFailure(
  'subject',
  'close_timeout',
  `The subject did not let go of the conversation within ${closeLimitMs / 1000} seconds.`,
);

function failureOf(error: unknown): EventData['failure'] {
  if (error instanceof ExecutionFailure) {
    return { where: error.where, code: error.code, message: error.message };
  }
  return { where: 'engine', code: 'unexpected', message: messageOf(error) };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
