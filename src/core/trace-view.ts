import type { EndReason, EventData, ExecutionStatus, ObservableObject, OfferedTool, TraceEvent } from './trace.ts';

/** A tool call that really went to a tool, with its end where there is one. */
export interface TracedToolCall {
  seq: number;
  callId: string;
  batch: string;
  server: string | null;
  /** The tool's own name on its server. */
  tool: string;
  /** The entry of `offered`, or null where the model named a tool that does not exist. */
  offered: OfferedTool | null;
  args: EventData['tool_called']['args'];
  returned: EventData['tool_returned'] | null;
}

/** What checks see of an execution. */
export interface Trace {
  started: EventData['execution_started'] | null;
  messages: { seq: number; role: 'user' | 'agent'; text: string }[];
  /** In the order of calling; calls of tools that do not exist included. */
  toolCalls: TracedToolCall[];
  skillsLoaded: string[];
  observed: EventData['observed'][];
  failures: EventData['failure'][];
  finished: { status: ExecutionStatus; endReason: EndReason | null } | null;
  observation(object: ObservableObject, name: string, when: 'before' | 'after'): EventData['observed'] | null;
}

/** The read model of a trace. `events` in order of seq. */
export type ReadTrace = (events: readonly TraceEvent[]) => Trace;
