type LogLevel = 'info' | 'warn' | 'error';
/** Run and case ids stand under `runId` and `caseId`. */
export type Log = (level: LogLevel, message: string, fields?: Record<string, unknown>) => void;

/** One JSON object a line. `write` gets each line with its end. */
export function jsonLog(write: (line: string) => void, now: () => Date): Log {
  return (level, message, fields = {}) => {
    write(`${JSON.stringify({ at: now().toISOString(), level, message, ...fields })}\n`);
  };
}

/** An error as fields of a log line, with the errors that caused it. */
export function errorFields(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { error: String(error) };
  return {
    error: error.message,
    stack: error.stack,
    ...(error.cause === undefined ? {} : { cause: errorFields(error.cause) }),
  };
}
