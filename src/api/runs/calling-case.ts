import { z } from 'zod';
import type { Signer, ToolScope } from '../../core/ports.ts';
import type { RunningCases } from '../../engine/testing/running-cases.ts';
import type { Caller } from '../call/caller.ts';

/** Tells a server over HTTP from inside of which case it is called. Every server gets it, and only this product's own
 *  understands it: it holds no secret, cannot be made up, and takes rights away without giving any. */
export const caseHeader = 'assay-case';

/** What the header says: an attempt at a case, as `ParentCase` names it. */
const namedCase = z.object({
  workspaceId: z.uuid(),
  runId: z.uuid(),
  resultId: z.uuid(),
  attempt: z.int(),
  executionId: z.uuid(),
});

export interface CallingCases {
  /** What is sent along with the calls of a conversation; nothing where it is not being held any more. */
  headersOf(scope: Pick<ToolScope, 'executionId'>): Record<string, string>;
  /** The caller as one who calls from inside of the case that their request names, if it names one: the runs that they
   *  start belong to it, which is refused where it is not being run any more. Waiting gives up the place of the case where
   *  this process is at it. */
  inside(caller: Caller, header: string | undefined): Caller;
}

export function createCallingCases(signer: Signer, running: RunningCases): CallingCases {
  return {
    headersOf({ executionId }) {
      const found = running.of(executionId);
      if (found === undefined) return {};
      return { [caseHeader]: signer.sign(JSON.stringify(namedCase.parse(found))) };
    },
    inside(caller, header) {
      const text = header === undefined ? null : signer.read(header);
      if (text === null) return caller;
      const named = namedCase.parse(JSON.parse(text));
      const inside = running.of(named.executionId) ?? { ...named, whileWaiting: (work) => work() };
      const enter = (who: Caller): Caller => ({
        ...who,
        inside,
        again: async () => {
          const now = await who.again();
          return now && enter(now);
        },
      });
      return enter(caller);
    },
  };
}
