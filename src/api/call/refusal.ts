import { ORPCError, ValidationError } from '@orpc/server';
import type { z } from 'zod';
import { errorOfEnvelope } from '../../contract/client.ts';
import { AssayError, type ErrorDetail, errorStatus } from '../../core/errors.ts';
import { invalidInput } from '../../core/text/invalid-input.ts';
import { mayPass } from '../../engine/testing/worker/database-trouble.ts';

/** Turns whatever an operation threw into the one envelope that callers see, with its HTTP status. An error that is
 *  nobody's refusal becomes `internal`, and stays as the cause for the log. */
export function refusal(error: unknown): ORPCError<string, unknown> {
  const refused = asAssayError(error);
  const { code, message, details } = refused;
  const envelope = { code, message, details: firstOf(details) };
  return errorOfEnvelope(envelope, errorStatus[code], refused.cause ?? error);
}

/** How many details an answer has; a last one says how many more there are. */
const mostDetails = 100;

function firstOf(details: ErrorDetail[]): ErrorDetail[] {
  const rest = details.length - mostDetails;
  if (rest <= 0) return details;
  return [...details.slice(0, mostDetails), { message: `and ${rest} more` }];
}

/** The same for what goes wrong while a stream is read, when the operation itself has answered. */
export async function* refusing<Item>(items: AsyncIterable<Item>): AsyncGenerator<Item, void, void> {
  try {
    yield* items;
  } catch (error) {
    throw refusal(error);
  }
}

function asAssayError(error: unknown): AssayError {
  if (error instanceof AssayError) return error;
  if (error instanceof ORPCError && error.cause instanceof ValidationError) {
    const { issues, data } = error.cause;
    // what the operation itself gave back does not fit its contract: not the caller's fault
    if (error.status >= 500) return internal(error.cause);
    return invalidInput(issues as z.core.$ZodIssue[], data);
  }
  if (error instanceof ORPCError && error.status < 500) {
    return new AssayError(error.status === 404 ? 'not_found' : 'invalid_input', error.message);
  }
  if (mayPass(error)) {
    return new AssayError('unavailable', 'The database does not answer. Try again in a moment.', [], {
      cause: error,
    });
  }
  return internal(error);
}

function internal(cause: unknown): AssayError {
  return new AssayError('internal', 'Something went wrong inside Assay. The log says more.', [], { cause });
}
