import { randomUUID } from 'node:crypto';
import { longestWaitSeconds } from '../contract/longest-wait.ts';
import type { RunSummary, StartRun } from '../contract/test-runs.ts';

/** Well below the five minutes after which Node's `fetch` gives up on an answer. */
const longestTurn = 240;

interface OperationCall {
  path: readonly string[];
  input: unknown;
}

/** A run that is started and waited for longer than an answer may take is waited for in turns, each of which starts it
 *  again under one key and so gets the same run. */
export async function waitInTurns<Call extends OperationCall, Output>(
  call: Call & { next(call?: Call): Promise<Output> },
): Promise<Output> {
  const { waitSeconds = 0, ...input } = (call.input ?? {}) as Partial<StartRun>;
  const isLong = waitSeconds > longestTurn && waitSeconds <= longestWaitSeconds;
  // a longer one is refused as it is
  if (call.path.join('.') !== 'testRuns.start' || !isLong) return call.next();
  const { next, ...rest } = call;
  const same = { ...input, idempotencyKey: input.idempotencyKey ?? randomUUID() };
  for (let left = waitSeconds; ; left -= longestTurn) {
    const turn = { ...same, waitSeconds: Math.min(left, longestTurn) };
    const answer = await next({ ...rest, input: turn } as unknown as Call);
    const { status } = answer as RunSummary;
    if (left <= longestTurn || status === 'finished' || status === 'cancelled') return answer;
  }
}
