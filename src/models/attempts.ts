import { ExecutionFailure } from '../core/errors.ts';
import type { Clock } from '../core/ports.ts';

/** An error of a provider, understood: what it means for the conversation, and whether another attempt may help. */
export interface Explained {
  failure: ExecutionFailure;
  transient: boolean;
  /** How long the provider asked to wait, in milliseconds; null where it did not say. */
  retryAfterMs: number | null;
}

const attempts = 3;
const firstPauseMs = 500;
/** A provider that asks for a longer pause is not waited for. */
const longestPauseMs = 30_000;

/** Runs one request up to three times while its failures are transient, with a pause that doubles or that the provider
 *  asked for. Throws the last failure, or the signal's reason on abort. */
export async function withAttempts<T>(
  attempt: () => Promise<T>,
  explain: (error: unknown) => Explained,
  clock: Clock,
  signal: AbortSignal,
): Promise<T> {
  for (let made = 1; ; made++) {
    try {
      return await attempt();
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      const { failure, transient, retryAfterMs } = explain(error);
      const pauseMs = retryAfterMs ?? firstPauseMs * 2 ** (made - 1);
      if (!transient) throw failure;
      if (made === attempts) throw amended(failure, `${attempts} attempts were made.`);
      if (pauseMs > longestPauseMs) {
        throw amended(
          failure,
          `The provider asks to wait ${Math.ceil(pauseMs / 1000)} s before the next attempt.`,
        );
      }
      await clock.sleep(pauseMs, signal);
    }
  }
}

function amended(failure: ExecutionFailure, sentence: string): ExecutionFailure {
  return new ExecutionFailure(failure.where, failure.code, `${failure.message} ${sentence}`, {
    cause: failure.cause,
  });
}
