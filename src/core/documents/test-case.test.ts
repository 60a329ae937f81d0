import { describe, expect, test } from 'vitest';
import { testCaseDefinition, testCaseDocument } from './test-case.ts';

const single = { conversation: { type: 'single', request: 'hello' } };
function problems(
  value: unknown,
  schema: typeof testCaseDefinition | typeof testCaseDocument = testCaseDefinition,
) {
  return schema.safeParse(value).error?.issues.map((issue) => issue.path.join('.')) ?? [];
}

describe('a test case', () => {
  test('has its defaults', () => {
    expect(testCaseDefinition.parse(single)).toEqual({ ...single, repeat: 1, pass: 'all', checks: [] });
  });

  test('cannot demand more passing conversations than it has', () => {
    const names = { name: 'n', agent: 'a', environment: 'e' };
    expect(problems({ ...single, repeat: 3, pass: { atLeast: 3 } })).toEqual([]);
    expect(problems({ ...single, repeat: 3, pass: { atLeast: 4 } })).toEqual(['pass.atLeast']);
    expect(problems({ ...single, pass: { atLeast: 2 } })).toEqual(['pass.atLeast']);
    expect(problems({ ...single, ...names, pass: { atLeast: 2 } }, testCaseDocument)).toEqual([
      'pass.atLeast',
    ]);
    expect(problems({ ...single, ...names }, testCaseDocument)).toEqual([]);
    expect(
      testCaseDefinition.safeParse({ ...single, repeat: 3, pass: { atLeast: 4 } }).error?.issues[0]?.message,
    ).toBe('must be at most repeat, which is 3');
  });

  test('names the place of a wrong check', () => {
    expect(
      problems({ ...single, checks: [{ type: 'tool_called', tool: 'x' }, { type: 'nonsense' }] }),
    ).toEqual(['checks.1.type']);
  });
});

describe('a scripted conversation', () => {
  const golden = (...checks: object[]) => ({
    conversation: { type: 'golden', turns: [{ user: 'a' }, { user: 'b', checks }] },
  });

  test('takes checks of a turn', () => {
    expect(problems(golden({ type: 'tool_called', tool: 'x' }, { type: 'skill_used', skill: 's' }))).toEqual(
      [],
    );
  });

  test('takes no check in a turn that looks at the workspace after the whole conversation', () => {
    const check = { object: 'prompt', name: 'p' };
    for (const type of ['object_exists', 'object_absent']) {
      const value = golden({ type: 'tool_called', tool: 'x' }, { ...check, type });
      expect(problems(value)).toEqual(['conversation.turns.1.checks.1.type']);
      expect(testCaseDefinition.safeParse(value).error?.issues[0]?.message).toContain(
        'the checks of the case',
      );
      expect(problems({ ...golden(), checks: [{ ...check, type }] })).toEqual([]);
    }
  });
});
