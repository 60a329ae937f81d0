import { type ContractRouterClient, ORPCError } from '@orpc/contract';
import type { ErrorCode, ErrorDetail } from '../core/errors.ts';
import type { contract } from './index.ts';

/** Calls the operations: in this process or over HTTP, with the same inputs, outputs and refusals. */
export type AssayClient = ContractRouterClient<typeof contract>;

/** How every refusal looks from outside, whatever the surface. */
export interface ErrorEnvelope {
  code: ErrorCode;
  message: string;
  details: ErrorDetail[];
}

/** The envelope as the error that clients throw. */
export function errorOfEnvelope(envelope: ErrorEnvelope, status: number, cause?: unknown) {
  const { code, message, details } = envelope;
  return new ORPCError(code, { status, message, data: { details }, cause });
}

/** The envelope in an error that a client threw; null where it is no answer of an operation. */
export function envelopeOf(error: unknown): ErrorEnvelope | null {
  if (!(error instanceof ORPCError)) return null;
  const { code, message, data } = error as ORPCError<ErrorCode, { details?: ErrorDetail[] } | undefined>;
  return { code, message, details: data?.details ?? [] };
}
