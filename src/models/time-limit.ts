import { ExecutionFailure } from '../core/errors.ts';
import type { Clock } from '../core/ports.ts';

const timeoutSetting = 'ASSAY_MODEL_TIMEOUT_SECONDS';
const defaultSeconds = 120;
const mostSeconds = 600;
/** For clients that insist on a limit of their own. */
export const beyondEveryTimeoutMs = (mostSeconds + 60) * 1000;

/** How long one request to a model may take, in milliseconds, from the setting. */
export function requestTimeoutMs(environment: Record<string, string | undefined>): number {
  const text = environment[timeoutSetting]?.trim() ?? '';
  if (text === '') return defaultSeconds * 1000;
  const seconds = Number(text);
  if (!(seconds > 0 && seconds <= mostSeconds)) {
    throw new ExecutionFailure(
      'model',
      'invalid_setting',
      `${timeoutSetting} is "${text}": it must be a number of seconds above 0 and at most ${mostSeconds}.`,
    );
  }
  return seconds * 1000;
}

/** Runs one request and ends it at the limit. Throws ExecutionFailure('model', 'timeout') then, and the signal's reason
 *  on abort: clients report the two alike, so our own signals decide. */
export async function withinLimit<T>(
  request: (signal: AbortSignal) => Promise<T>,
  limit: { ms: number; model: string; clock: Clock },
  signal: AbortSignal,
): Promise<T> {
  signal.throwIfAborted();
  const late = new AbortController();
  const over = new AbortController();
  const ends = AbortSignal.any([signal, late.signal]);
  limit.clock.sleep(limit.ms, over.signal).then(
    () => late.abort(timeoutOf(limit)),
    () => {}, // the request ended first
  );
  try {
    return await request(ends);
  } catch (error) {
    throw ends.aborted ? ends.reason : error;
  } finally {
    over.abort();
  }
}

function timeoutOf({ ms, model }: { ms: number; model: string }): ExecutionFailure {
  return new ExecutionFailure(
    'model',
    'timeout',
    `The model ${model} did not answer within ${ms / 1000} s. ${timeoutSetting} sets the limit.`,
  );
}
