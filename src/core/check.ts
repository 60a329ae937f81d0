import type { z } from 'zod';
import { noReason, type Reason, reason } from './reasons.ts';
import type { ObservableObject } from './trace.ts';
import type { Trace } from './trace-view.ts';
import type { CheckOutcome } from './verdict/outcome.ts';

/** What a check found. `expected` and `actual` are never empty; `reason` is one English sentence, empty only when the
 *  check passed. */
export interface CheckFinding extends Reason {
  outcome: CheckOutcome;
  expected: string;
  actual: string;
}

/** A finding as it stands in an evaluation and in results. */
export interface EvaluatedCheck extends CheckFinding {
  type: string;
  /** Index of the golden turn it belongs to; null for the checks of the whole case. */
  turn: number | null;
}

/** The definition of a check in a case: a strict object whose `type` names the kind. */
export type CheckSchema = z.ZodObject<{ type: z.ZodLiteral<string> }, z.core.$strict>;

/** Everything about a kind that does not depend on a trace. */
interface CheckDescription<Schema extends CheckSchema> {
  /** A few words for pickers, such as "Tool was called". */
  title: string;
  schema: Schema;
  source: 'trace' | 'enrichment' | 'judge';
  /** When it is judged, and what becomes of it otherwise, in sentences for people who choose it. */
  applies: string;
  /** What has to hold, in words: `expected` of every finding. */
  sentence(definition: z.infer<Schema>): string;
  /** Workspace objects that must be looked at before and after the execution. */
  observe?(definition: z.infer<Schema>): ObservedName[];
  /** Tools and skills it names, so that saving can warn of unknown ones. */
  names?(definition: z.infer<Schema>): { tools?: string[]; skills?: string[] };
}

export interface ObservedName {
  object: ObservableObject;
  name: string;
}

/** One kind of check: one file that holds everything known about it, and one line in the registry. */
export interface CheckKind<Schema extends CheckSchema = CheckSchema> extends CheckDescription<Schema> {
  type: z.infer<Schema>['type'];
  /** A pure function of the trace. */
  evaluate(trace: Trace, definition: z.infer<Schema>): CheckFinding;
}

/** A trace that says what the version that answered offered. */
export type StartedTrace = Trace & { started: NonNullable<Trace['started']> };

/** A finding without what its kind adds to each. */
export type Judged = Omit<CheckFinding, 'expected'>;

/** Makes a kind. Its `judge` is asked only where the trace holds the start of the execution: without it nobody knows
 *  what was offered or which driver ran, and the finding is an error. */
export function checkKind<Schema extends CheckSchema>(
  kind: CheckDescription<Schema> & {
    judge(trace: StartedTrace, definition: z.infer<Schema>): Judged;
  },
): CheckKind<Schema> {
  const { judge, ...description } = kind;
  return {
    ...description,
    type: kind.schema.shape.type.value,
    evaluate: (trace, definition) => ({
      expected: kind.sentence(definition),
      ...(hasStart(trace)
        ? judge(trace, definition)
        : unjudged('the start of the execution is not recorded', reason('trace_without_start', {}))),
    }),
  };
}

export function passed(actual: string): Judged {
  return { outcome: 'passed', actual, ...noReason };
}

export function failed(actual: string, because: Reason): Judged {
  return { outcome: 'failed', actual, ...because };
}

export function skipped(actual: string, because: Reason): Judged {
  return { outcome: 'skipped', actual, ...because };
}

/** The facts it needs are missing: outcome `error`. */
export function unjudged(actual: string, because: Reason): Judged {
  return { outcome: 'error', actual, ...because };
}

function hasStart(trace: Trace): trace is StartedTrace {
  return trace.started !== null;
}
