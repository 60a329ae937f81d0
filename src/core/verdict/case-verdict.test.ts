import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { caseVerdict } from './case-verdict.ts';
import { type CaseOutcome, caseOutcomes, worst } from './outcome.ts';
import type { Verdict } from './verdict.ts';

function conversations(outcomes: CaseOutcome[]): Verdict[] {
  return outcomes.map((outcome, index) =>
    outcome === 'passed'
      ? { outcome, reason: '', reasonCode: '', reasonParams: {} }
      : { outcome, reason: `${outcome} in ${index + 1}`, reasonCode: outcome, reasonParams: { index } },
  );
}
const all = (...outcomes: CaseOutcome[]) =>
  caseVerdict(conversations(outcomes), { repeat: outcomes.length, pass: 'all' });
const atLeast = (n: number, ...outcomes: CaseOutcome[]) =>
  caseVerdict(conversations(outcomes), { repeat: outcomes.length, pass: { atLeast: n } });

describe('a case whose conversations must all pass', () => {
  test(verifies('takes the worst outcome of its conversations, with its reason', 'O2'), () => {
    expect(all('passed', 'passed')).toEqual({
      outcome: 'passed',
      reason: '',
      reasonCode: '',
      reasonParams: {},
    });
    expect(all('passed', 'failed', 'failed')).toEqual({
      outcome: 'failed',
      reason: 'failed in 2',
      reasonCode: 'failed',
      reasonParams: { index: 1 },
    });
    expect(all('failed', 'error').reason).toBe('error in 2');
    expect(all('passed', 'unknown').outcome).toBe('unknown');
    expect(all('passed', 'pending').outcome).toBe('pending');
    expect(all('passed', 'cancelled').outcome).toBe('cancelled');
  });
});

describe('a case of which some conversations must pass', () => {
  test.each<[number, CaseOutcome[], CaseOutcome]>([
    [2, ['passed', 'failed', 'passed'], 'passed'],
    [2, ['passed', 'failed', 'failed'], 'failed'],
    [1, ['failed', 'failed', 'passed'], 'passed'],
    [1, ['passed', 'passed', 'error'], 'error'],
    [1, ['failed', 'error'], 'error'],
    [1, ['passed', 'unknown'], 'unknown'],
    [2, ['passed', 'unknown', 'failed'], 'unknown'],
    [2, ['failed', 'unknown', 'failed'], 'failed'],
    [1, ['passed', 'pending'], 'pending'],
    [2, ['failed', 'pending', 'failed'], 'failed'],
    [1, ['passed', 'unknown', 'pending'], 'unknown'],
    [1, ['passed', 'cancelled'], 'cancelled'],
  ])('at least %i of %j: %s', (n, outcomes, expected) => {
    expect(atLeast(n, ...outcomes).outcome).toBe(expected);
    expect(atLeast(n, ...[...outcomes].reverse()).outcome).toBe(expected);
  });

  test('says how many passed and how many had to', () => {
    expect(atLeast(2, 'passed', 'failed', 'failed')).toMatchObject({
      reason: '1 of 3 conversations passed, at least 2 must.',
      reasonParams: { passed: 1, repeat: 3, needed: 2 },
    });
  });
});

test('a case without a verdict for every conversation is an error', () => {
  for (const verdicts of [[], conversations(['passed']), conversations(['passed', 'passed', 'passed'])]) {
    for (const pass of ['all', { atLeast: 1 }] as const) {
      expect(caseVerdict(verdicts, { repeat: 2, pass })).toMatchObject({
        outcome: 'error',
        reasonCode: 'conversation_count',
      });
    }
  }
});

const anyOutcomes = fc.array(fc.constantFrom(...caseOutcomes), { minLength: 1, maxLength: 6 });

describe('any conversations', () => {
  test('pass only with enough that passed and none but failed ones beside them', () => {
    fc.assert(
      fc.property(anyOutcomes, fc.nat(), (outcomes, some) => {
        const n = 1 + (some % outcomes.length);
        const enough = outcomes.filter((outcome) => outcome === 'passed').length >= n;
        const clean = outcomes.every((outcome) => outcome === 'passed' || outcome === 'failed');
        expect(atLeast(n, ...outcomes).outcome === 'passed').toBe(enough && clean);
      }),
    );
  });

  test('of which all must pass are the same as at least all of them', () => {
    fc.assert(
      fc.property(anyOutcomes, (outcomes) => {
        expect(all(...outcomes).outcome).toBe(worst(outcomes));
        expect(atLeast(outcomes.length, ...outcomes).outcome).toBe(worst(outcomes));
      }),
    );
  });

  test('that failed are final: what the undecided ones turn into does not change it', () => {
    const undecided: CaseOutcome[] = ['unknown', 'pending', 'cancelled'];
    fc.assert(
      fc.property(
        anyOutcomes,
        fc.nat(),
        fc.constantFrom<CaseOutcome[]>('passed', 'failed'),
        (outcomes, some, later) => {
          const n = 1 + (some % outcomes.length);
          fc.pre(atLeast(n, ...outcomes).outcome === 'failed');
          const decided = outcomes.map((outcome) => (undecided.includes(outcome) ? later : outcome));
          expect(atLeast(n, ...decided).outcome).toBe('failed');
        },
      ),
    );
  });
});
