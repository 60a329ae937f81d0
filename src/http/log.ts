import type { Json } from '../core/json.ts';
import type { Redact } from '../core/ports.ts';
import { redactedJson } from '../core/redacted-json.ts';

const levels = ['info', 'warn', 'error'] as const;
export type LogLevel = (typeof levels)[number];
/** Run and case ids stand under `runId` and `caseId`. */
export type Log = (level: LogLevel, message: string, fields?: Record<string, unknown>) => void;

/** One JSON object a line, from the level `least` on, without secrets. `write` gets each line with its end. */
export function jsonLog(options: {
  write(line: string): void;
  now(): Date;
  least: LogLevel;
  redact: Redact;
}): Log {
  return (level, message, fields = {}) => {
    if (levels.indexOf(level) < levels.indexOf(options.least)) return;
    // as a value, since what leaves the text could break an escape
    const said: Json = JSON.parse(JSON.stringify({ message, ...fields }));
    const shown = redactedJson(said, options.redact, isField) as object;
    const line = { at: options.now().toISOString(), level, ...shown };
    options.write(`${JSON.stringify(line)}\n`);
  };
}

/** Fields are our own words, whatever a secret reads like. */
const isField = () => true;

/** An error as fields of a log line, with the errors that caused it. */
export function errorFields(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { error: String(error) };
  const message = quotesText(error) ? 'a text is not valid JSON' : error.message;
  return {
    error: message,
    stack: error.stack?.replace(error.message, () => message),
    ...(error.cause === undefined ? {} : { cause: errorFields(error.cause) }),
  };
}

/** Of a text that it cannot read the parser quotes the beginning, whoever wrote it and whatever stands there. */
function quotesText(error: Error): boolean {
  return error instanceof SyntaxError && error.message.endsWith('is not valid JSON');
}
