/** Codes of a call that gave no result. */
export type ToolFailureCode =
  | 'timeout'
  | 'transport'
  | 'protocol'
  | 'unreadable_result'
  | 'unknown_tool'
  | 'invalid_arguments'
  | 'fixture_missing'
  | 'aborted';

/** A call that ended without a result of the tool. It is an answer to the agent, not a failure of the execution; only
 *  where the connection was lost (`transport`) it is both. */
export class ToolFailure extends Error {
  readonly code: ToolFailureCode;

  constructor(code: ToolFailureCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ToolFailure';
    this.code = code;
  }
}
