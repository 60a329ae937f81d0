import type {
  EndReason,
  EventData,
  ExecutionStatus,
  ObservableObject,
  OfferedTool,
  TraceEvent,
} from './trace.ts';

/** A call as the model asked for it, with its end where there is one. */
export interface TracedToolCall {
  seq: number;
  callId: string;
  batch: string;
  /** null: nothing was sent, so nothing ran. */
  server: string | null;
  /** The tool's own name on its server. */
  tool: string;
  /** The entry of `offered`, or null where nothing was sent. */
  offered: OfferedTool | null;
  args: EventData['tool_called']['args'];
  returned: EventData['tool_returned'] | null;
}

/** What checks see of an execution. */
export interface Trace {
  started: EventData['execution_started'] | null;
  messages: { seq: number; role: 'user' | 'agent'; text: string }[];
  /** In the order of calling; calls that were never sent included. */
  toolCalls: TracedToolCall[];
  skillsLoaded: string[];
  observed: EventData['observed'][];
  failures: EventData['failure'][];
  finished: { status: ExecutionStatus; endReason: EndReason | null } | null;
  /** The first one before the execution, the last one after it; null where nobody looked. */
  observation(object: ObservableObject, name: string, when: 'before' | 'after'): EventData['observed'] | null;
}

/** Only what happened in one turn: from its user message (0 is the first) up to the next one. Start, end, failures and
 *  observations belong to the whole execution and stay visible. */
export interface TraceScope {
  turn: number;
}

/** The read model of a trace. `events` in order of seq. Throws RangeError where the trace has no such turn. */
export function readTrace(events: readonly TraceEvent[], scope?: TraceScope): Trace {
  const trace: Trace = {
    started: null,
    messages: [],
    toolCalls: [],
    skillsLoaded: [],
    observed: [],
    failures: [],
    finished: null,
    observation(object, name, when) {
      const matches = (seen: EventData['observed']) =>
        seen.object === object && seen.name === name && seen.when === when;
      return (when === 'before' ? this.observed.find(matches) : this.observed.findLast(matches)) ?? null;
    },
  };
  const openCalls = new Map<string, TracedToolCall>();
  let turn = -1;
  for (const event of events) {
    if (event.kind === 'user_message') turn += 1;
    const inScope = scope === undefined || turn === scope.turn;
    switch (event.kind) {
      case 'execution_started':
        trace.started ??= event.data;
        break;
      case 'execution_finished':
        trace.finished = event.data;
        break;
      case 'failure':
        trace.failures.push(event.data);
        break;
      case 'observed':
        trace.observed.push(event.data);
        break;
      case 'user_message':
        if (inScope) trace.messages.push({ seq: event.seq, role: 'user', text: event.data.text });
        break;
      case 'agent_message':
        if (inScope) trace.messages.push({ seq: event.seq, role: 'agent', text: event.data.text });
        break;
      case 'skill_loaded':
        if (inScope) trace.skillsLoaded.push(event.data.skill);
        break;
      case 'tool_called':
        if (inScope) {
          const call = {
            ...event.data,
            seq: event.seq,
            offered: offeredTool(trace, event.data),
            returned: null,
          };
          trace.toolCalls.push(call);
          openCalls.set(call.callId, call);
        }
        break;
      case 'tool_returned': {
        const call = openCalls.get(event.data.callId);
        if (call !== undefined) call.returned = event.data;
        openCalls.delete(event.data.callId);
        break;
      }
    }
  }
  if (scope !== undefined && (scope.turn < 0 || scope.turn > turn)) {
    throw new RangeError(`the trace has ${turn + 1} user messages, so none with index ${scope.turn}`);
  }
  return trace;
}

function offeredTool(trace: Trace, call: EventData['tool_called']): OfferedTool | null {
  return (
    trace.started?.offered.tools.find((tool) => tool.server === call.server && tool.tool === call.tool) ??
    null
  );
}

/** Seq of the first event that is not where it belongs (seq counts from 1 without gaps); null where none is missing. */
export function firstGap(events: readonly TraceEvent[]): number | null {
  const index = events.findIndex((event, position) => event.seq !== position + 1);
  return index === -1 ? null : index + 1;
}
