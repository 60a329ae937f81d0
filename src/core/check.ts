import type { z } from 'zod';
import type { JsonObject } from './json.ts';
import type { ObservableObject } from './trace.ts';
import type { Trace } from './trace-view.ts';

export const checkOutcomes = ['passed', 'failed', 'skipped', 'pending', 'error'] as const;
export type CheckOutcome = (typeof checkOutcomes)[number];

/** What a check found. `reason` is one English sentence made from code and params; empty only when it passed. */
export interface CheckFinding {
  outcome: CheckOutcome;
  expected: string;
  actual: string;
  reason: string;
  reasonCode: string;
  reasonParams: JsonObject;
}

/** One kind of check: one file that holds everything known about it, and one line in the registry. */
export interface CheckKind<Definition extends { type: string }> {
  type: Definition['type'];
  /** A sentence for pickers, such as "The agent must call a tool". */
  title: string;
  schema: z.ZodType<Definition>;
  source: 'trace' | 'enrichment' | 'judge';
  /** Workspace objects that must be looked at before and after the execution. */
  observe?(definition: Definition): { object: ObservableObject; name: string }[];
  /** Tools and skills it names, so that saving can warn of unknown ones. */
  names?(definition: Definition): { tools?: string[]; skills?: string[] };
  /** A pure function of the trace. */
  evaluate(trace: Trace, definition: Definition): CheckFinding;
}

/** A finding as it stands in an evaluation and in results. */
export interface EvaluatedCheck extends CheckFinding {
  type: string;
  /** Index of the golden turn it belongs to; null for the checks of the whole case. */
  turn: number | null;
}
