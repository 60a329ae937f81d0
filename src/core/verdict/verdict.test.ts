import { describe, expect, test } from 'vitest';
import {
  agent,
  called,
  conversation,
  failure,
  finished,
  loaded,
  offered,
  reads,
  started,
  traceOf,
  user,
  writes,
} from '../../../test/sample-trace.ts';
import { verifies } from '../../../test/verifies.ts';
import { testCaseDefinition } from '../documents/test-case.ts';
import type { TraceEvent } from '../trace.ts';
import { judgeExecution } from './verdict.ts';

const list = offered('list', reads);
const write = offered('write', writes);
const maybe = offered('maybe');
const tools = [list, write, maybe];

function judge(events: TraceEvent[], ...checks: object[]) {
  return judgeExecution(
    events,
    testCaseDefinition.parse({ conversation: { type: 'single', request: 'x' }, checks }),
    'not_configured',
  );
}

const holds = { type: 'tool_called', tool: 'list' };
const fails = { type: 'tool_called', tool: 'write' };
const skips = { type: 'no_write_before', tool: 'list' };
const errs = { type: 'object_absent', object: 'agent', name: 'ghost' };
const ran = conversation({ tools }, called(maybe, '1'), called(list, '2'));

describe('a conversation', () => {
  test(verifies('passes when every check passed', 'M25'), () => {
    expect(judge(ran, holds, { type: 'tool_not_called', tool: 'write' })).toMatchObject({
      outcome: 'passed',
      reason: '',
      reasonCode: '',
      reasonParams: {},
      evaluator: null,
      checks: [
        { type: 'tool_called', turn: null, outcome: 'passed' },
        { type: 'tool_not_called', turn: null, outcome: 'passed' },
      ],
    });
  });

  test(verifies('fails when one check fails, and each check keeps its own outcome', 'M24', 'M25'), () => {
    const verdict = judge(ran, holds, fails, skips, { type: 'tool_not_called', tool: 'list' });
    expect(verdict).toMatchObject({
      outcome: 'failed',
      reason: 'The tool "write" was not called.',
      reasonCode: 'tool_not_called',
      reasonParams: { tool: 'write' },
    });
    expect(verdict.checks.map((check) => check.outcome)).toEqual(['passed', 'failed', 'skipped', 'failed']);
  });

  test(verifies('passes over a skipped check when another one passed', 'M25', 'M26'), () => {
    const verdict = judge(ran, holds, skips);
    expect(verdict.outcome).toBe('passed');
    expect(verdict.checks[1]?.reason).not.toBe('');
  });

  test(verifies('is an error when only checks judge and all were skipped', 'M27'), () => {
    expect(judge(ran, skips, { type: 'ended_as', reason: 'goal_achieved' })).toMatchObject({
      outcome: 'error',
      reasonCode: 'all_checks_skipped',
    });
  });

  test(verifies('is an error when nothing judges it', 'O2'), () => {
    const verdict = judge(ran);
    expect(verdict).toMatchObject({ outcome: 'error', checks: [], evaluator: null });
    expect(verdict.reason).toContain('nothing judged this case');
  });

  test(verifies('is an error when a check could not be judged, also beside a failed one', 'O2', 'O3'), () => {
    expect(judge(ran, fails, errs)).toMatchObject({ outcome: 'error', reasonCode: 'object_not_observed' });
  });
});

describe('a technical problem', () => {
  test(verifies('is an error with the message of the failure although every check holds', 'O3'), () => {
    const events = traceOf(
      started({ tools }),
      user(),
      called(list),
      failure('connection refused'),
      finished('failed'),
    );
    const verdict = judge(events, holds);
    expect(verdict).toMatchObject({
      outcome: 'error',
      reason: 'Technical error (model, unreachable): connection refused',
      reasonParams: { where: 'model', code: 'unreachable', message: 'connection refused' },
    });
    expect(verdict.checks[0]?.outcome).toBe('passed');
  });

  test(verifies('is an error even where the execution went on and completed', 'O3'), () => {
    const events = traceOf(started({ tools }), user(), failure(), called(list), agent(), finished());
    expect(judge(events, holds).outcome).toBe('error');
  });

  test('is told by its first failure, and also where that says nothing', () => {
    const events = traceOf(started({ tools }), user(), failure(' '), failure('later'), finished('failed'));
    expect(judge(events, fails).reason).toBe('Technical error (model, unreachable): no message');
  });

  test.each([
    ['has no end', traceOf(started({ tools }), user(), called(list), agent()), 'execution_unfinished'],
    [
      'was stopped',
      traceOf(started({ tools }), user(), called(list), finished('aborted')),
      'execution_aborted',
    ],
    [
      'failed silently',
      traceOf(started({ tools }), user(), called(list), finished('failed')),
      'execution_failed',
    ],
    ['never began', traceOf(user(), called(list), agent(), finished()), 'trace_without_start'],
    ['left nothing', [], 'trace_without_start'],
    ['sent nothing', traceOf(started({ tools }), called(list), agent(), finished()), 'turn_not_sent'],
  ])(verifies('is an error: the execution %s', 'O3'), (_, events, reasonCode) => {
    const verdict = judge(events, holds);
    expect(verdict).toMatchObject({ outcome: 'error', reasonCode });
    expect(verdict.reason).not.toBe('');
  });

  test('is an error where events are missing, and then no check says anything', () => {
    const events = ran.filter((event) => event.seq !== 3);
    const verdict = judge(events, holds, { type: 'tool_not_called', tool: 'maybe' });
    expect(verdict).toMatchObject({
      outcome: 'error',
      reason: 'Event 3 of the trace is missing, so nothing can be judged from it.',
    });
    expect(verdict.checks.map((check) => check.outcome)).toEqual(['error', 'error']);
    expect(verdict.checks[1]).toMatchObject({
      expected: 'the tool "maybe" is not called',
      actual: 'not judged',
    });
  });

  test('is an error where events are missing although no check would have read them', () => {
    const definition = testCaseDefinition.parse({
      conversation: { type: 'single', request: 'x' },
      expectedResult: 'a list',
    });
    const events = ran.filter((event) => event.seq !== 3);
    expect(judgeExecution(events, definition, 'not_configured').outcome).toBe('error');
  });

  test('is an error where only the last events are missing', () => {
    expect(judge(ran.slice(0, -1), holds).outcome).toBe('error');
  });
});

describe('an expected result without a judge model', () => {
  const expecting = (...checks: object[]) =>
    judgeExecution(
      ran,
      testCaseDefinition.parse({
        conversation: { type: 'single', request: 'x' },
        expectedResult: 'a list',
        checks,
      }),
      'not_configured',
    );

  test(verifies('is unknown and says what is missing', 'O3', 'O2'), () => {
    const reason = 'The expected result cannot be evaluated without a judge model.';
    expect(expecting(holds)).toMatchObject({
      outcome: 'unknown',
      reason,
      reasonCode: 'judge_not_configured',
      evaluator: { outcome: 'unknown', reason },
    });
    expect(expecting().outcome).toBe('unknown');
  });

  test(verifies('decides where every check was skipped', 'M27'), () => {
    expect(expecting(skips).outcome).toBe('unknown');
  });

  test(verifies('is outweighed by a failed check and by an error', 'O2', 'M25'), () => {
    expect(expecting(fails)).toMatchObject({ outcome: 'failed', evaluator: { outcome: 'unknown' } });
    expect(expecting(errs, fails).outcome).toBe('error');
  });
});

describe('a scripted conversation', () => {
  const golden = (turns: object[], checks: object[] = []) =>
    testCaseDefinition.parse({ conversation: { type: 'golden', turns }, checks });
  const judgeGolden = (events: TraceEvent[], ...from: Parameters<typeof golden>) =>
    judgeExecution(events, golden(...from), 'not_configured');
  const events = traceOf(
    started({ tools, skills: ['s'], driver: 'golden' }),
    user('1'),
    called(list, '1'),
    agent(),
    user('2'),
    called(write, '2'),
    loaded('s'),
    agent(),
    finished(),
  );

  test('judges the checks of a turn on that turn alone, and those of the case on all of it', () => {
    const wrote = { type: 'tool_called', tool: 'write' };
    const verdict = judgeGolden(
      events,
      [
        { user: '1', checks: [holds, wrote, { type: 'skill_not_used', skill: 's' }] },
        { user: '2', checks: [holds, wrote, { type: 'skill_used', skill: 's' }] },
      ],
      [holds, wrote],
    );
    expect(verdict.checks.map((check) => [check.turn, check.outcome])).toEqual([
      [null, 'passed'],
      [null, 'passed'],
      [0, 'passed'],
      [0, 'failed'],
      [0, 'passed'],
      [1, 'failed'],
      [1, 'passed'],
      [1, 'passed'],
    ]);
    expect(verdict.outcome).toBe('failed');
  });

  test('passes by the checks of its turns alone', () => {
    expect(judgeGolden(events, [{ user: '1', checks: [holds] }, { user: '2' }]).outcome).toBe('passed');
  });

  test(verifies('with an expected answer in a turn is unknown without a judge model', 'O2'), () => {
    expect(
      judgeGolden(events, [
        { user: '1', checks: [holds] },
        { user: '2', expected: 'ok' },
      ]),
    ).toMatchObject({
      outcome: 'unknown',
      evaluator: { outcome: 'unknown' },
    });
  });

  test('is an error where a turn was never sent, and so are the checks of that turn', () => {
    const verdict = judgeGolden(
      events,
      [{ user: '1' }, { user: '2' }, { user: '3', checks: [{ type: 'tool_not_called', tool: 'write' }] }],
      [holds],
    );
    expect(verdict).toMatchObject({
      outcome: 'error',
      reason: 'Message 3 of 3 was never sent to the agent.',
    });
    expect(verdict.checks).toMatchObject([
      { outcome: 'passed' },
      { turn: 2, outcome: 'error', actual: 'not judged' },
    ]);
    expect(judgeGolden(events, [{ user: '1' }, { user: '2' }, { user: '3' }], [holds]).outcome).toBe('error');
  });
});
