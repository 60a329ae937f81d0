import { type ErrorEnvelope, envelopeOf } from '../contract/client.ts';
import { shown } from '../contract/shown-text.ts';

type ErrorDetail = ErrorEnvelope['details'][number];

/** The command line itself is wrong: an argument that means nothing, a file that is not there. */
export class UsageError extends Error {}

/** The command cannot go on, and its message says why and what to do. */
export class CommandError extends Error {}

/** The server does not answer, or its answer broke off: it may be back in a moment. */
export class ServerLost extends CommandError {}

const longestMessage = 2000;

/** What went wrong, as lines for people: the message, then one line `file:line: field: message` for each detail, and each
 *  of them once. Never a stack trace. */
export function describeFailure(error: unknown): string {
  const envelope = envelopeOf(error);
  if (envelope === null) return messageOf(error);
  if (envelope.code === 'internal' && error instanceof Error && error.cause !== undefined) {
    return messageOf(error.cause);
  }
  const details = envelope.details.map(detailLine);
  const [first, ...others] = details;
  const message = shown(envelope.message.split('\n')[0] ?? '', longestMessage);
  // the sentence about one place is that place again
  if (first !== undefined && others.length === 0 && isAbout(envelope.message, envelope.details)) return first;
  const head = isAbout(message, envelope.details) ? `${details.length} things are wrong:` : message;
  return [
    details.length === 0 ? shown(envelope.message, longestMessage) : head,
    ...details.map((line) => `  ${line}`),
  ].join('\n');
}

/** Whether a sentence lists the details itself. */
function isAbout(sentence: string, details: readonly ErrorDetail[]): boolean {
  return details[0] !== undefined && sentence.includes(details[0].message);
}

function detailLine({ file, line, field, message }: ErrorDetail): string {
  const place = file === undefined ? [] : [line === undefined ? file : `${file}:${line}`];
  const where = [...place, ...(field === undefined ? [] : [field])].map((part) => `${shown(part)}: `);
  return `${where.join('')}${shown(message, longestMessage)}`;
}

function messageOf(error: unknown): string {
  return shown(error instanceof Error ? error.message : String(error), longestMessage);
}
