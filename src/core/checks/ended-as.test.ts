import { describe, expect, test } from 'vitest';
import { finished, started, traceOf, user } from '../../../test/sample-trace.ts';
import { verifies } from '../../../test/verifies.ts';
import { type EndReason, endReasons } from '../trace.ts';
import { readTrace } from '../trace-view.ts';
import { endedAs } from './ended-as.ts';

const find = (driver: string, ended: EndReason | null, reason: EndReason = 'goal_achieved') =>
  endedAs.evaluate(readTrace(traceOf(started({ driver }), user(), finished('completed', ended))), {
    type: 'ended_as',
    reason,
  });

describe('ended_as', () => {
  test(verifies('passes only for the reason for which the conversation ended', 'M36'), () => {
    for (const wanted of endReasons) {
      for (const ended of endReasons) {
        expect(find('persona', ended, wanted).outcome).toBe(wanted === ended ? 'passed' : 'failed');
      }
    }
    expect(find('persona', 'exit_intent')).toMatchObject({
      expected: 'the conversation ends as goal_achieved',
      actual: 'ended as exit_intent',
      reason: 'The conversation ended as exit_intent, not as goal_achieved.',
    });
  });

  test.each(['persona', 'multi-person', 'voice'])(
    verifies('applies to a %s conversation', 'M37'),
    (driver) => {
      expect(find(driver, 'goal_achieved').outcome).toBe('passed');
    },
  );

  test.each(['single', 'golden', 'steps', ''])(
    verifies('is skipped with a reason in a conversation of type "%s"', 'M37', 'M26'),
    (driver) => {
      const finding = find(driver, 'goal_achieved');
      expect(finding.outcome).toBe('skipped');
      expect(finding.reason).toContain(`A conversation of type "${driver}" has no end reason`);
    },
  );

  test('is an error where the trace does not say why the conversation ended', () => {
    expect(find('persona', null)).toMatchObject({ outcome: 'error', reasonCode: 'end_reason_missing' });
    const unfinished = readTrace(traceOf(started({ driver: 'persona' }), user()));
    expect(endedAs.evaluate(unfinished, { type: 'ended_as', reason: 'exit_intent' }).outcome).toBe('error');
  });

  test('is an error on a trace without the start of the execution', () => {
    const trace = readTrace(traceOf(user(), finished('completed', 'goal_achieved')));
    expect(endedAs.evaluate(trace, { type: 'ended_as', reason: 'goal_achieved' }).outcome).toBe('error');
  });
});
