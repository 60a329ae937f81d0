import { describe, expect, test } from 'vitest';
import { finished, observed, started, traceOf, user } from '../../../test/sample-trace.ts';
import { verifies } from '../../../test/verifies.ts';
import { type ObservableObject, observableObjects } from '../trace.ts';
import { readTrace } from '../trace-view.ts';
import { objectAbsent } from './object-absent.ts';
import { objectExists } from './object-exists.ts';

/** A trace in which the object was looked at: true and false say that it stood there, null that nobody looked. */
function looked(object: ObservableObject, before: boolean | null, after: boolean | null, name = 'greeting') {
  return readTrace(
    traceOf(
      started(),
      ...(before === null ? [] : [observed(object, name, 'before', before)]),
      user(),
      ...(after === null ? [] : [observed(object, name, 'after', after)]),
      finished(),
    ),
  );
}
const exists = { type: 'object_exists', object: 'prompt', name: 'greeting' } as const;
const created = { ...exists, createdDuring: true };
const absent = { type: 'object_absent', object: 'prompt', name: 'greeting' } as const;

describe('object_exists', () => {
  test.each(observableObjects)(
    verifies('passes when a %s of that name exists afterwards', 'M38'),
    (object) => {
      expect(objectExists.evaluate(looked(object, false, true), { ...exists, object })).toMatchObject({
        outcome: 'passed',
        expected: `the ${object} "greeting" exists after the conversation`,
        actual: 'exists',
      });
    },
  );

  test(verifies('fails when it does not exist afterwards', 'M38'), () => {
    expect(objectExists.evaluate(looked('prompt', true, false), exists)).toMatchObject({
      outcome: 'failed',
      actual: 'does not exist',
      reason: 'The prompt "greeting" does not exist after the conversation.',
    });
  });

  test('passes for one that existed before, unless it must have been created during the conversation', () => {
    expect(objectExists.evaluate(looked('prompt', true, true), exists).outcome).toBe('passed');
    expect(
      objectExists.evaluate(looked('prompt', true, true), { ...exists, createdDuring: false }).outcome,
    ).toBe('passed');
  });

  test(verifies('fails for one that existed before when it must be created during', 'M39'), () => {
    expect(objectExists.evaluate(looked('prompt', true, true), created)).toMatchObject({
      outcome: 'failed',
      expected: 'the prompt "greeting" exists after the conversation and was created during it',
      actual: 'existed before the conversation',
      reason: 'The prompt "greeting" existed already before the conversation.',
    });
    expect(objectExists.evaluate(looked('prompt', false, false), created).outcome).toBe('failed');
  });

  test(verifies('passes for one that was created during the conversation', 'M39'), () => {
    expect(objectExists.evaluate(looked('prompt', false, true), created)).toMatchObject({
      outcome: 'passed',
      actual: 'created during the conversation',
    });
  });

  test.each([
    ['2026-01-01T00:00:00.500Z', '2026-01-01T00:00:00.499Z', 'failed'],
    ['2026-01-01T00:00:00.500Z', '2026-01-01T00:00:00.500Z', 'passed'],
    ['2026-01-01T00:00:00.500Z', '2026-01-01T00:00:01.000Z', 'passed'],
    // traces of older versions hold no time of the look
    [undefined, '2020-01-01T00:00:00.000Z', 'passed'],
  ])(
    verifies('tells what was renamed during it from what was created: looked at %s, created %s', 'M39'),
    (now, createdAt, outcome) => {
      const before = { createdAt: null, ...(now === undefined ? {} : { now }) };
      const trace = readTrace(
        traceOf(
          started(),
          observed('prompt', 'greeting', 'before', false, before),
          user(),
          observed('prompt', 'greeting', 'after', true, { createdAt }),
          finished(),
        ),
      );
      const finding = objectExists.evaluate(trace, created);
      expect(finding.outcome).toBe(outcome);
      if (outcome === 'failed') {
        expect(finding.reason).toBe(
          'The prompt "greeting" was created before the conversation, and only got its name during it.',
        );
      }
    },
  );

  test('is an error where nobody looked at the time that matters', () => {
    expect(objectExists.evaluate(looked('prompt', false, null), exists)).toMatchObject({
      outcome: 'error',
      reason: 'Whether the prompt "greeting" existed after the conversation was not recorded.',
    });
    expect(objectExists.evaluate(looked('prompt', null, true), created)).toMatchObject({
      outcome: 'error',
      reason: 'Whether the prompt "greeting" existed before the conversation was not recorded.',
    });
    expect(objectExists.evaluate(looked('prompt', null, true), exists).outcome).toBe('passed');
  });

  test('another object of that name, and another name, are no observation of it', () => {
    expect(objectExists.evaluate(looked('skill', false, true), exists).outcome).toBe('error');
    expect(objectExists.evaluate(looked('prompt', false, true, 'Greeting'), exists).outcome).toBe('error');
  });
});

describe('object_absent', () => {
  test(verifies('passes when no such object exists afterwards', 'M40'), () => {
    expect(objectAbsent.evaluate(looked('prompt', true, false), absent)).toMatchObject({
      outcome: 'passed',
      expected: 'the prompt "greeting" does not exist after the conversation',
      actual: 'does not exist',
    });
  });

  test(verifies('fails when it exists afterwards', 'M40'), () => {
    expect(objectAbsent.evaluate(looked('prompt', false, true), absent)).toMatchObject({
      outcome: 'failed',
      actual: 'exists',
      reason: 'The prompt "greeting" exists after the conversation.',
    });
  });

  test('is an error where nobody looked afterwards', () => {
    expect(objectAbsent.evaluate(looked('prompt', false, null), absent).outcome).toBe('error');
    expect(objectAbsent.evaluate(looked('skill', false, false), absent).outcome).toBe('error');
  });
});

test('both are errors on a trace without the start of the execution', () => {
  const trace = readTrace(
    traceOf(observed('prompt', 'greeting', 'after', true), observed('prompt', 'ghost', 'after', false)),
  );
  expect(objectExists.evaluate(trace, exists).outcome).toBe('error');
  expect(objectAbsent.evaluate(trace, { ...absent, name: 'ghost' }).outcome).toBe('error');
});
