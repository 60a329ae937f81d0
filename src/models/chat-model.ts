import type { Clock, Model } from '../core/ports.ts';
import { withAttempts } from './attempts.ts';
import type { Connection } from './connection.ts';
import { explained } from './failure.ts';
import type { Ask, ProviderContext } from './provider.ts';
import { wholeReply } from './reply.ts';
import { requestTimeoutMs, withinLimit } from './time-limit.ts';

/** A model that asks its provider within the time limit, again where that may help, and says what went wrong. */
export function chatModel(
  connection: Connection,
  ask: Ask,
  { environment, redact, clock }: Pick<ProviderContext, 'environment' | 'redact'> & { clock: Clock },
): Model {
  const { name } = connection;
  const limit = { ms: requestTimeoutMs(environment), model: name, clock };
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
