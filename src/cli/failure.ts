import { envelopeOf } from '../contract/client.ts';
import { shown } from '../contract/shown-text.ts';

/** The command line itself is wrong: an argument that means nothing, a file that is not there. */
export class UsageError extends Error {}

/** The command cannot go on, and its message says why and what to do. */
export class CommandError extends Error {}

const longestMessage = 2000;

/** What went wrong, as lines for people: the message, then one line for each detail. Never a stack trace. */
export function describeFailure(error: unknown): string {
  const envelope = envelopeOf(error);
  if (envelope === null) return messageOf(error);
  if (envelope.code === 'internal' && error instanceof Error && error.cause !== undefined) {
    return messageOf(error.cause);
  }
  const details = envelope.details.map(({ file, line, field, message }) => {
    const place = [file, line, field].filter((part) => part !== undefined).join(':');
    return `  ${place === '' ? '' : `${shown(place)}: `}${shown(message, longestMessage)}`;
  });
  return [shown(envelope.message, longestMessage), ...details].join('\n');
}

function messageOf(error: unknown): string {
  return shown(error instanceof Error ? error.message : String(error), longestMessage);
}
