import { type Caller, roleHere, unauthenticated } from './caller.ts';
import type { ApiContext } from './context.ts';

/** So often it is asked whether a caller who waits or follows may still see what they wait for. */
const everyMs = 1_000;

/** Throws what a new request of the caller would be told: `unauthenticated` where they are let in no more, `not_found`
 *  where they may not see the workspace any more. */
async function requireSight({ caller, workspace }: ApiContext): Promise<void> {
  roleHere({ caller: await requireLetIn(caller), workspace });
}

/** The caller as they are at this moment. Throws `unauthenticated`. */
export async function requireLetIn(caller: Caller): Promise<Caller> {
  const now = await caller.again();
  if (now === null) throw unauthenticated();
  return now;
}

/** Does something that goes on for a while, for as long as the caller may see the workspace: soon after they may not,
 *  the signal aborts that `work` is given, as it does with `signal`, and this throws what they are told. */
export async function whileStanding<Result>(
  context: ApiContext,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const { lost, stop } = askNowAndThen(context);
  try {
    const result = await work(AbortSignal.any([signal, lost]));
    lost.throwIfAborted();
    return result;
  } finally {
    stop();
  }
}

/** The same for what is followed: nothing is given out any more once the caller may not see it. */
export async function* followWhileStanding<Item>(
  context: ApiContext,
  signal: AbortSignal,
  follow: (signal: AbortSignal) => AsyncIterable<Item>,
): AsyncGenerator<Item, void, void> {
  const { lost, stop } = askNowAndThen(context);
  try {
    for await (const item of follow(AbortSignal.any([signal, lost]))) {
      lost.throwIfAborted();
      yield item;
    }
    lost.throwIfAborted();
  } finally {
    stop();
  }
}

/** `lost` aborts with the refusal, or with what went wrong while it was asked. */
function askNowAndThen(context: ApiContext): { lost: AbortSignal; stop(): void } {
  const lost = new AbortController();
  const over = new AbortController();
  const { clock } = context.program;
  const ask = async () => {
    for (;;) {
      await clock.sleep(everyMs, over.signal);
      await requireSight(context);
    }
  };
  ask().catch((reason) => lost.abort(reason));
  return { lost: lost.signal, stop: () => over.abort() };
}
