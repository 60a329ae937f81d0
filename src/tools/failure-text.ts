import { SdkError, SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client';
import { ExecutionFailure } from '../core/errors.ts';
import type { Redact } from '../core/ports.ts';
import { OutsideCallError } from '../net/outside-call-error.ts';
import { quote } from '../net/quote.ts';
import { type Route, routeName } from './route.ts';

const shownLength = 500;

/** A server that a session cannot begin with, named with the cause and with what its process said last. */
export function serverUnreachable(
  { serverName, route, redact }: { serverName: string; route: Route; redact: Redact },
  error: unknown,
  lastWords: string,
): ExecutionFailure {
  const text = `MCP server "${serverName}" could not be reached (${routeName(route)}). ${why(error, lastWords, redact)}`;
  return new ExecutionFailure('tool', 'server_unreachable', redact(text), { cause: error });
}

/** Why a server could not be reached or stopped answering, and what its process said last, in sentences for people. */
export function why(error: unknown, lastWords: string, redact: Redact): string {
  const cause = causeOf(error, redact);
  // How a process ended says more than that the connection did.
  if (lastWords !== '' && cause === connectionEnded) return lastWords;
  return `${cause} ${lastWords}`.trim();
}

const connectionEnded = 'It ended the connection.';

function causeOf(error: unknown, redact: Redact): string {
  if (error instanceof OutsideCallError) return error.message;
  if (error instanceof SdkHttpError) {
    const hint = error.status === 401 || error.status === 403 ? ' Check the headers of this server.' : '';
    return `It answered with HTTP ${error.status}: ${quote(String(error.data.text ?? error.message), shownLength, redact)}.${hint}`;
  }
  if (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout)
    return 'It did not answer in time.';
  if (error instanceof SdkError && error.code === SdkErrorCode.ConnectionClosed) return connectionEnded;
  // What the parser says quotes the text, which may hold a secret in part.
  if (error instanceof SyntaxError) return 'Its answer could not be read.';
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT') return 'There is no such program. Install it, or correct the command.';
  if (code === 'EACCES') return 'The program may not be run. Make it executable, or correct the command.';
  if (code === 'EPIPE' || code === 'ERR_STREAM_DESTROYED') return connectionEnded;
  return `${quote(message ?? String(error), shownLength, redact).replace(/\.$/, '')}.`;
}
