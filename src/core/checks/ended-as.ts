import { z } from 'zod';
import { checkKind, failed, passed, skipped, unjudged } from '../check.ts';
import { reason } from '../reasons.ts';
import { shown } from '../text/shown-text.ts';
import { endReasons } from '../trace.ts';

/** Drivers in which somebody other than the script decides when a conversation ends. */
const driversWithEndReason = ['persona', 'multi-person', 'voice'];

export const endedAs = checkKind({
  title: 'Conversation ended as',
  schema: z.strictObject({ type: z.literal('ended_as'), reason: z.enum(endReasons) }),
  source: 'trace',
  applies: 'To persona, multi-person and voice conversations; in all others it is skipped.',
  sentence: (definition) => `the conversation ends as ${definition.reason}`,
  judge(trace, definition) {
    const { driver } = trace.started;
    if (!driversWithEndReason.includes(driver)) {
      return skipped(
        `a conversation of type "${shown(driver)}"`,
        reason('end_reason_not_applicable', { driver }),
      );
    }
    const ended = trace.finished?.endReason ?? null;
    if (ended === null) return unjudged('no end reason is recorded', reason('end_reason_missing', {}));
    const actual = `ended as ${ended}`;
    return ended === definition.reason
      ? passed(actual)
      : failed(actual, reason('end_reason_differs', { ended, reason: definition.reason }));
  },
});
