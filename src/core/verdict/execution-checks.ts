import type { EvaluatedCheck } from '../check.ts';
import { type CheckDefinition, checkSentence, evaluateCheck } from '../checks/registry.ts';
import type { TestCaseDefinition } from '../documents/test-case.ts';
import { type Reason, reason } from '../reasons.ts';
import type { TraceEvent } from '../trace.ts';
import { firstGap, readTrace, type Trace } from '../trace-view.ts';

/** Every check of a case on the trace of one execution: those of the case on all of it, then those of each golden turn
 *  on that turn. A check that would have to read missing events, or a turn that was never sent, is an error. */
export function evaluateChecks(
  events: readonly TraceEvent[],
  definition: TestCaseDefinition,
): EvaluatedCheck[] {
  const whole = readTrace(events);
  return groupsOf(definition).flatMap(({ turn, checks }) => {
    const problem = missingEvents(events) ?? (turn === null ? null : unsentTurn(whole, definition, turn));
    if (problem !== null) return checks.map((check) => unjudged(check, turn, problem));
    const seen = turn === null ? whole : readTrace(events, { turn });
    return checks.map((check) => ({ type: check.type, turn, ...evaluateCheck(seen, check) }));
  });
}

/** Why a trace with a gap judges nothing; null where it has none. */
export function missingEvents(events: readonly TraceEvent[]): Reason | null {
  const gap = firstGap(events);
  return gap === null ? null : reason('trace_incomplete', { seq: gap });
}

/** Why the turn with this index (0 is the first) judges nothing; null where it was sent. */
export function unsentTurn(trace: Trace, definition: TestCaseDefinition, turn: number): Reason | null {
  const sent = trace.messages.filter((message) => message.role === 'user').length;
  return turn < sent ? null : reason('turn_not_sent', { turn: turn + 1, turns: turnCount(definition) });
}

/** How many messages the script of the case sends. */
export function turnCount({ conversation }: TestCaseDefinition): number {
  return conversation.type === 'golden' ? conversation.turns.length : 1;
}

function groupsOf({ checks, conversation }: TestCaseDefinition) {
  const turns = conversation.type === 'golden' ? conversation.turns : [];
  const groups: { turn: number | null; checks: readonly CheckDefinition[] }[] = [{ turn: null, checks }];
  return [...groups, ...turns.map((turn, index) => ({ turn: index, checks: turn.checks }))].filter(
    (group) => group.checks.length > 0,
  );
}

function unjudged(check: CheckDefinition, turn: number | null, problem: Reason): EvaluatedCheck {
  return {
    type: check.type,
    turn,
    outcome: 'error',
    expected: checkSentence(check),
    actual: 'not judged',
    ...problem,
  };
}
