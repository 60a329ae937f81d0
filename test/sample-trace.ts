import fc from 'fast-check';
import {
  type EndReason,
  type EventBody,
  type EventData,
  type ExecutionStatus,
  endReasons,
  type ObservableObject,
  type OfferedTool,
  observableObjects,
  type ToolAnnotations,
  type TraceEvent,
} from '../src/core/trace.ts';

/** Traces for tests, in the shapes that executions leave behind. */

/** An offered tool; `name` is set where two servers offer the same one. */
export function offered(
  tool: string,
  annotations: ToolAnnotations = {},
  server = 'files',
  name = tool,
): OfferedTool {
  return { server, tool, name, description: '', annotations, inputSchema: {} };
}

export const reads = { readOnlyHint: true };
export const writes = { readOnlyHint: false };

export function started(
  options: { tools?: OfferedTool[]; skills?: string[]; driver?: string } = {},
): EventBody {
  return {
    kind: 'execution_started',
    data: {
      subject: { kind: 'agent', id: 'a', name: 'librarian', versionId: 'v', version: 'v1' },
      contentHash: 'hash',
      environment: 'dev',
      driver: options.driver ?? 'single',
      input: null,
      offered: { tools: options.tools ?? [], skills: options.skills ?? [] },
    },
  };
}

export function user(text = 'do it'): EventBody {
  return { kind: 'user_message', data: { speaker: 'user', text } };
}

export function agent(text = 'done'): EventBody {
  return { kind: 'agent_message', data: { text, attachments: [], suggestedActions: [], replyTo: null } };
}

/** A call of an offered tool, or (given a bare name) of one that does not exist. */
export function called(tool: OfferedTool | string, callId = 'call', batch = 'batch'): EventBody {
  const named = typeof tool === 'string' ? { server: null, tool } : { server: tool.server, tool: tool.tool };
  return { kind: 'tool_called', data: { ...named, callId, batch, args: {} } };
}

export function returned(callId = 'call', isError = false): EventBody {
  return {
    kind: 'tool_returned',
    data: {
      callId,
      isError,
      ...(isError ? { error: { code: 'tool_error', message: 'no such file' } } : { result: {} }),
      mocked: false,
      rule: null,
      seed: null,
      waitedMs: null,
      durationMs: 1,
    },
  };
}

export function loaded(skill: string): EventBody {
  return { kind: 'skill_loaded', data: { skill } };
}

export function observed(
  object: ObservableObject,
  name: string,
  when: EventData['observed']['when'],
  exists: boolean,
  times: Pick<EventData['observed'], 'createdAt' | 'now'> = { createdAt: null },
): EventBody {
  return { kind: 'observed', data: { object, name, when, exists, ...times } };
}

export function failure(message = 'the model did not answer'): EventBody {
  return { kind: 'failure', data: { where: 'model', code: 'unreachable', message } };
}

export function finished(
  status: ExecutionStatus = 'completed',
  endReason: EndReason | null = null,
): EventBody {
  return { kind: 'execution_finished', data: { status, endReason } };
}

/** The bodies in this order as the events of one execution. */
export function traceOf(...bodies: EventBody[]): TraceEvent[] {
  return bodies.map((body, index) => ({
    ...body,
    seq: index + 1,
    at: '2026-01-01T00:00:00.000Z',
    parent: null,
  }));
}

/** A conversation of one message that ran to its end, with what happened between question and answer. */
export function conversation(
  options: { tools?: OfferedTool[]; skills?: string[] },
  ...happened: EventBody[]
): TraceEvent[] {
  return traceOf(started(options), user(), ...happened, agent(), finished());
}

/** Few names, so that random checks and random traces meet. */
export const anyName = fc.constantFrom('read', 'write', 'list', 'files/read');

const hint = fc.option(fc.boolean(), { nil: undefined });
const anyAnnotations: fc.Arbitrary<ToolAnnotations> = fc
  .record({ readOnlyHint: hint, destructiveHint: hint })
  .map(({ readOnlyHint, destructiveHint }) => ({
    ...(readOnlyHint === undefined ? {} : { readOnlyHint }),
    ...(destructiveHint === undefined ? {} : { destructiveHint }),
  }));
const anyOffered = fc
  .tuple(anyName, anyAnnotations, fc.constantFrom('files', 'other'), seldom(anyName))
  .map(([tool, annotations, server, [otherName]]) => offered(tool, annotations, server, otherName));

const anyStart = fc
  .record({
    tools: fc.array(anyOffered, { maxLength: 4 }),
    skills: fc.array(anyName, { maxLength: 3 }),
    driver: fc.constantFrom('single', 'golden', 'persona', 'multi-person', 'voice'),
  })
  .map(started);

const anyFact: fc.Arbitrary<EventBody> = fc.oneof(
  fc.constant(user()),
  fc.constant(agent()),
  fc.tuple(fc.oneof(anyOffered, anyName), anyName).map(([tool, callId]) => called(tool, callId)),
  fc.tuple(anyName, fc.boolean()).map(([callId, isError]) => returned(callId, isError)),
  anyName.map(loaded),
  fc
    .tuple(
      fc.constantFrom(...observableObjects),
      anyName,
      fc.constantFrom('before' as const, 'after' as const),
      fc.boolean(),
    )
    .map(([object, name, when, exists]) => observed(object, name, when, exists)),
);

const anyFinish = fc
  .tuple(
    fc.constantFrom<ExecutionStatus[]>('completed', 'completed', 'completed', 'failed', 'aborted'),
    fc.option(fc.constantFrom(...endReasons)),
  )
  .map(([status, endReason]) => finished(status, endReason));

/** Any trace: mostly a whole one, sometimes without its start, its message or its end, sometimes with failures. */
export const anyBodies: fc.Arbitrary<EventBody[]> = fc
  .tuple(
    mostly(anyStart),
    mostly(fc.constant(user())),
    fc.array(anyFact, { maxLength: 14 }),
    seldom(fc.string().map(failure)),
    mostly(anyFinish),
  )
  .map((parts) => parts.flat());

function mostly<Item>(item: fc.Arbitrary<Item>): fc.Arbitrary<Item[]> {
  return present(item, 9, 1);
}

function seldom<Item>(item: fc.Arbitrary<Item>): fc.Arbitrary<Item[]> {
  return present(item, 1, 9);
}

function present<Item>(item: fc.Arbitrary<Item>, there: number, missing: number): fc.Arbitrary<Item[]> {
  return fc.oneof(
    { weight: there, arbitrary: item.map((each) => [each]) },
    { weight: missing, arbitrary: fc.constant<Item[]>([]) },
  );
}
