/** One place in the caller's input that is wrong. `field` is a path such as `checks[2].tool`; `line` counts from 1. */
export interface ErrorDetail {
  field?: string;
  value?: unknown;
  file?: string;
  line?: number;
  message: string;
}

/** Stable codes of everything an operation may refuse, with the HTTP status each one has. */
export const errorStatus = {
  invalid_input: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  too_large: 413,
  rule_violated: 422,
  rate_limited: 429,
  unavailable: 503,
  internal: 500,
} as const;
export type ErrorCode = keyof typeof errorStatus;

/** A refusal that the caller can act on: what is wrong, where, and what to do. Nothing was saved or started. */
export class AssayError extends Error {
  readonly code: ErrorCode;
  readonly details: ErrorDetail[];

  constructor(code: ErrorCode, message: string, details: ErrorDetail[] = [], options?: ErrorOptions) {
    super(message, options);
    this.name = 'AssayError';
    this.code = code;
    this.details = details;
  }
}

/** Where a technical failure of an execution happened. */
export type FailureSource = 'model' | 'tool' | 'agent' | 'subject' | 'simulator' | 'engine';

/** A technical failure inside an execution: it ends the conversation, and the conversation's outcome is `error`. */
export class ExecutionFailure extends Error {
  readonly where: FailureSource;
  readonly code: string;

  constructor(where: FailureSource, code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ExecutionFailure';
    this.where = where;
    this.code = code;
  }
}

/** What a thrown value says: the message of an error, else the value as text. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
