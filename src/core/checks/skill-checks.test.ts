import { describe, expect, test } from 'vitest';
import { conversation, loaded, traceOf, user } from '../../../test/sample-trace.ts';
import { verifies } from '../../../test/verifies.ts';
import { readTrace } from '../trace-view.ts';
import { skillNotUsed } from './skill-not-used.ts';
import { skillUsed } from './skill-used.ts';

const skills = ['tidy-up', 'translate'];
const used = { type: 'skill_used', skill: 'tidy-up' } as const;
const notUsed = { type: 'skill_not_used', skill: 'tidy-up' } as const;
const tidied = readTrace(conversation({ skills }, loaded('tidy-up'), loaded('tidy-up')));
const translated = readTrace(conversation({ skills }, loaded('translate')));
const idle = readTrace(conversation({ skills }));

describe('skill_used', () => {
  test(verifies('passes when the skill was loaded', 'M34'), () => {
    expect(skillUsed.evaluate(tidied, used)).toMatchObject({
      outcome: 'passed',
      expected: 'the skill "tidy-up" is used',
      actual: 'used: tidy-up',
      reason: '',
    });
  });

  test(verifies('fails when it was not and says which were', 'M34'), () => {
    expect(skillUsed.evaluate(translated, used)).toMatchObject({
      outcome: 'failed',
      actual: 'used: translate',
      reason: 'The skill "tidy-up" was not used.',
    });
    expect(skillUsed.evaluate(idle, used).actual).toBe('no skill was used');
  });

  test('fails for a skill that the version does not have and names the closest one', () => {
    expect(skillUsed.evaluate(tidied, { type: 'skill_used', skill: 'Tidy-up' })).toMatchObject({
      outcome: 'failed',
      reasonCode: 'skill_not_offered',
      reasonParams: { skill: 'Tidy-up', closest: 'tidy-up' },
    });
  });
});

describe('skill_not_used', () => {
  test(verifies('passes when the skill was not loaded', 'M35'), () => {
    expect(skillNotUsed.evaluate(translated, notUsed)).toMatchObject({
      outcome: 'passed',
      expected: 'the skill "tidy-up" is not used',
      actual: 'used: translate',
      reason: '',
    });
  });

  test(verifies('fails when it was', 'M35'), () => {
    expect(skillNotUsed.evaluate(tidied, notUsed)).toMatchObject({
      outcome: 'failed',
      actual: 'used: tidy-up',
      reason: 'The skill "tidy-up" was used.',
    });
  });

  test(verifies('is skipped for a skill that the version does not have', 'M26'), () => {
    expect(skillNotUsed.evaluate(idle, { type: 'skill_not_used', skill: 'tidyup' })).toMatchObject({
      outcome: 'skipped',
      reason: 'The version that answered has no skill "tidyup"; the closest it has is "tidy-up".',
    });
    expect(skillNotUsed.evaluate(readTrace(conversation({})), notUsed)).toMatchObject({
      outcome: 'skipped',
      reasonCode: 'no_skills_offered',
    });
  });

  test('fails for a skill that was loaded whatever the version says that it has', () => {
    expect(skillNotUsed.evaluate(readTrace(conversation({}, loaded('tidy-up'))), notUsed)).toMatchObject({
      outcome: 'failed',
      reason: 'The skill "tidy-up" was used.',
    });
  });
});

test('both are errors on a trace without the start of the execution', () => {
  const trace = readTrace(traceOf(user(), loaded('tidy-up')));
  expect(skillUsed.evaluate(trace, used).outcome).toBe('error');
  expect(skillNotUsed.evaluate(trace, { type: 'skill_not_used', skill: 'other' }).outcome).toBe('error');
});
