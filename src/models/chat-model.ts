import type { Clock, Model, Redact } from '../core/ports.ts';
import { withAttempts } from './attempts.ts';
import type { Connection } from './connection.ts';
import { explained } from './failure.ts';
import type { Ask } from './provider.ts';
import { wholeReply } from './reply.ts';
import { withinLimit } from './time-limit.ts';

/** A model that asks its provider within the time limit, again where that may help, and says what went wrong. */
export function chatModel(
  connection: Connection,
  ask: Ask,
  { timeoutMs, redact, clock }: { timeoutMs: number; redact: Redact; clock: Clock },
): Model {
  const { name } = connection;
  const limit = { ms: timeoutMs, model: name, clock };
  const explain = (error: unknown) => explained(error, connection, redact);
  return {
    name,
    offline: false,
    complete: (request, signal) => {
      const attempt = async (ends: AbortSignal) =>
        wholeReply(name, request.messages, await ask(request, ends));
      return withAttempts(() => withinLimit(attempt, limit, signal), explain, clock, signal);
    },
  };
}
