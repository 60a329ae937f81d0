import { shown } from './text/shown-text.ts';

/** Why a finding or a verdict is what it is: one English sentence, and the code and parameters it was made from, so
 *  that it can be said in another language. All three are empty where it passed. */
export interface Reason {
  reason: string;
  reasonCode: string;
  reasonParams: { [param: string]: string | number };
}

/** Every reason, by its stable code. `{param}` is filled from the parameters. Codes and parameters change only by
 *  adding: translations and stored results hang on them. */
export const reasonTemplates = {
  trace_without_start:
    'The trace does not hold the start of the execution, so nothing can be judged from it.',
  trace_incomplete: 'Event {seq} of the trace is missing, so nothing can be judged from it.',

  tool_not_offered:
    'The version that answered does not offer a tool "{tool}"; the closest it offers is "{closest}".',
  no_tools_offered: 'The version that answered offers no tool at all, so no "{tool}" either.',
  tool_ambiguous:
    'The version that answered offers more than one tool "{tool}"; the check must name one of {choices}.',
  tool_not_called: 'The tool "{tool}" was not called.',
  tool_perhaps_called:
    'The tool "{called}", which the check may mean by "{tool}", was called, first as call number {position}; the check must name one tool that the version offers.',
  tool_called: 'The tool "{tool}" was called, first as call number {position}.',
  tools_not_called: 'Neither "{first}" nor "{second}" was called.',
  tool_order_reversed: 'The first call of "{first}" did not come before the first call of "{second}".',
  write_before: 'The data-changing tool "{write}" ran before the first call of "{tool}".',
  write_perhaps_before:
    'The data-changing tool "{write}" ran before the first call of a tool that the check may mean by "{tool}"; the check must name one of {choices}.',
  write_without: 'The data-changing tool "{write}" ran, and "{tool}" was never called.',
  undeclared_before:
    'The tool "{undeclared}" ran before the first call of "{tool}" and does not declare whether it changes data.',
  undeclared_without:
    'The tool "{undeclared}" ran and does not declare whether it changes data, and "{tool}" was never called.',

  skill_not_offered: 'The version that answered has no skill "{skill}"; the closest it has is "{closest}".',
  no_skills_offered: 'The version that answered has no skill at all, so no "{skill}" either.',
  skill_not_used: 'The skill "{skill}" was not used.',
  skill_used: 'The skill "{skill}" was used.',

  end_reason_not_applicable:
    'A conversation of type "{driver}" has no end reason; only persona, multi-person and voice conversations have one.',
  end_reason_missing: 'The trace does not say why the conversation ended.',
  end_reason_differs: 'The conversation ended as {ended}, not as {reason}.',

  object_not_observed: 'Whether the {object} "{name}" existed {when} the conversation was not recorded.',
  object_missing: 'The {object} "{name}" does not exist after the conversation.',
  object_existed_before: 'The {object} "{name}" existed already before the conversation.',
  object_created_before:
    'The {object} "{name}" was created before the conversation, and only got its name during it.',
  object_present: 'The {object} "{name}" exists after the conversation.',

  execution_failure: 'Technical error ({where}, {code}): {message}',
  execution_aborted: 'The execution was stopped before its end.',
  execution_unfinished: 'The trace does not hold the end of the execution.',
  execution_failed: 'The execution failed without a recorded cause.',
  trace_not_stored: 'The trace of this case could not be stored: {message}',
  turn_not_sent: 'Message {turn} of {turns} was never sent to the agent.',

  judge_not_configured: 'The expected result cannot be evaluated without a judge model.',
  all_checks_skipped: 'Every check was skipped, so nothing judged this case.',
  nothing_judges: 'There is no check, no evaluator and no expectation: nothing judged this case.',

  too_few_passed: '{passed} of {repeat} conversations passed, at least {needed} must.',
  conversation_count: '{recorded} of {repeat} conversations have a result, so the case cannot be judged.',
} as const;

export type ReasonCode = keyof typeof reasonTemplates;
type ParamsIn<Template extends string> = Template extends `${string}{${infer Param}}${infer Rest}`
  ? Param | ParamsIn<Rest>
  : never;
export type ReasonParams<Code extends ReasonCode> = {
  [Param in ParamsIn<(typeof reasonTemplates)[Code]>]: string | number;
};

/** Outside text among the parameters is cut and stripped of control characters. */
export function reason<Code extends ReasonCode>(code: Code, params: ReasonParams<Code>): Reason {
  const shownParams: Reason['reasonParams'] = {};
  for (const [param, value] of Object.entries<string | number>(params)) {
    shownParams[param] = typeof value === 'string' ? shown(value) : value;
  }
  const sentence = reasonTemplates[code].replace(/\{(\w+)\}/g, (_, param: string) =>
    String(shownParams[param]),
  );
  return { reason: sentence, reasonCode: code, reasonParams: shownParams };
}

/** What stands in place of a reason where something passed. */
export const noReason: Readonly<Reason> = { reason: '', reasonCode: '', reasonParams: {} };
