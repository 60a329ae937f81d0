import { describe, expect, test } from 'vitest';
import {
  called,
  conversation,
  offered,
  reads,
  returned,
  traceOf,
  user,
  writes,
} from '../../../test/sample-trace.ts';
import { verifies } from '../../../test/verifies.ts';
import type { OfferedTool, ToolAnnotations } from '../trace.ts';
import { readTrace } from '../trace-view.ts';
import { noWriteBefore } from './no-write-before.ts';

const list = offered('list', reads);
const read = offered('read', reads);
const write = offered('write', writes);
const undeclared = offered('undeclared');
const check = { type: 'no_write_before', tool: 'list' } as const;
const find = (...calls: (OfferedTool | string)[]) =>
  noWriteBefore.evaluate(
    readTrace(
      conversation(
        { tools: [list, read, write, undeclared] },
        ...calls.map((tool, index) => called(tool, `${index}`)),
      ),
    ),
    check,
  );

describe('no_write_before', () => {
  test(verifies('passes when only reading tools ran before the first call', 'M32'), () => {
    expect(find(read, list, write)).toMatchObject({
      outcome: 'passed',
      expected: 'no data-changing tool runs before the first call of "list"',
      actual: 'no data-changing tool ran before it',
      reason: '',
    });
  });

  test(verifies('fails and names the tool that wrote before the first call', 'M32'), () => {
    expect(find(read, write, list)).toMatchObject({
      outcome: 'failed',
      actual: 'ran before it: write',
      reason: 'The data-changing tool "write" ran before the first call of "list".',
      reasonParams: { write: 'write', tool: 'list' },
    });
    expect(find(write, list, list).outcome).toBe('failed');
  });

  test(verifies('counts every write as before a tool that was never called', 'M32'), () => {
    expect(find(read, write)).toMatchObject({
      outcome: 'failed',
      actual: 'ran and the tool was never called: write',
      reason: 'The data-changing tool "write" ran, and "list" was never called.',
    });
    expect(find(read).outcome).toBe('passed');
    expect(find().outcome).toBe('passed');
  });

  test(verifies('is skipped when a tool before it does not declare what it does', 'M33', 'M26'), () => {
    expect(find(undeclared, list)).toMatchObject({
      outcome: 'skipped',
      actual: 'ran before it: undeclared',
      reason:
        'The tool "undeclared" ran before the first call of "list" and does not declare whether it changes data.',
    });
    expect(find(undeclared)).toMatchObject({ outcome: 'skipped', reasonCode: 'undeclared_without' });
    expect(find(list, undeclared).outcome).toBe('passed');
  });

  test(verifies('a definite write fails it whatever else is undeclared', 'M33'), () => {
    expect(find(undeclared, write, list).outcome).toBe('failed');
    expect(find(write, undeclared, list).outcome).toBe('failed');
    expect(find(write, undeclared).outcome).toBe('failed');
  });

  test.each<[ToolAnnotations, string]>([
    [{ readOnlyHint: true }, 'passed'],
    [{ readOnlyHint: true, destructiveHint: true }, 'passed'],
    [{ readOnlyHint: true, destructiveHint: false }, 'passed'],
    [{ readOnlyHint: false }, 'failed'],
    [{ readOnlyHint: false, destructiveHint: false }, 'failed'],
    [{ readOnlyHint: false, destructiveHint: true }, 'failed'],
    [{ destructiveHint: true }, 'failed'],
    [{ destructiveHint: false }, 'failed'],
    [{}, 'skipped'],
    [{ idempotentHint: true, openWorldHint: true, title: 'Read only' }, 'skipped'],
  ])(verifies('decides by the hints %j alone: %s', 'M33'), (annotations, outcome) => {
    const tool = offered('tool', annotations);
    const trace = readTrace(conversation({ tools: [list, tool] }, called(tool, '0'), called(list, '1')));
    expect(noWriteBefore.evaluate(trace, check).outcome).toBe(outcome);
  });

  test(verifies('a write that returned an error or never returned still ran', 'M33'), () => {
    const trace = readTrace(
      conversation({ tools: [list, write] }, called(write, '0'), returned('0', true), called(list, '1')),
    );
    expect(noWriteBefore.evaluate(trace, check).outcome).toBe('failed');
    expect(find(write, list).outcome).toBe('failed');
  });

  test(verifies('takes the order listed within one message of the model', 'M33'), () => {
    const inOneMessage = (...tools: OfferedTool[]) =>
      noWriteBefore.evaluate(
        readTrace(
          conversation(
            { tools: [list, write] },
            ...tools.map((tool, index) => called(tool, `${index}`, 'same batch')),
            returned('1'),
            returned('0'),
          ),
        ),
        check,
      ).outcome;
    expect(inOneMessage(list, write)).toBe('passed');
    expect(inOneMessage(write, list)).toBe('failed');
  });

  test('a call of a tool that does not exist never ran and is not the first call either', () => {
    expect(find('write', list).outcome).toBe('passed');
    expect(find('list', write, list).outcome).toBe('failed');
  });

  test('the named tool may itself write', () => {
    const trace = readTrace(conversation({ tools: [write] }, called(write)));
    expect(noWriteBefore.evaluate(trace, { type: 'no_write_before', tool: 'write' }).outcome).toBe('passed');
  });

  test('a tool that ran but is not among the offered ones is undeclared', () => {
    expect(find(offered('ghost', reads, 'elsewhere'), list).outcome).toBe('skipped');
  });

  test(verifies('never passes for a tool that is not offered, and names the closest one', 'M30'), () => {
    const misspelt = { type: 'no_write_before', tool: 'lisst' } as const;
    const evaluate = (...calls: OfferedTool[]) =>
      noWriteBefore.evaluate(
        readTrace(
          conversation(
            { tools: [list, write, undeclared] },
            ...calls.map((tool, index) => called(tool, `${index}`)),
          ),
        ),
        misspelt,
      );
    expect(evaluate(list)).toMatchObject({
      outcome: 'skipped',
      reasonCode: 'tool_not_offered',
      reasonParams: { closest: 'list' },
    });
    const failing = evaluate(list, write);
    expect(failing).toMatchObject({ outcome: 'failed', reasonCode: 'write_without' });
    expect(failing.actual).toContain('the closest it offers is "list"');
    expect(evaluate(undeclared)).toMatchObject({ outcome: 'skipped', reasonCode: 'undeclared_without' });
  });

  test(verifies('holds a name that stands for several tools against each of them', 'M30'), () => {
    const [one, other] = ['a', 'b'].map((server) => offered('list', reads, server, `${server}/list`));
    const evaluate = (...calls: (OfferedTool | undefined)[]) =>
      noWriteBefore.evaluate(
        readTrace(
          conversation(
            { tools: [one as OfferedTool, other as OfferedTool, write] },
            ...calls.map((tool, index) => called(tool as OfferedTool, `${index}`)),
          ),
        ),
        check,
      );
    expect(evaluate(one, write, other)).toMatchObject({
      outcome: 'failed',
      reason:
        'The data-changing tool "write" ran before the first call of a tool that the check may mean by "list"; the check must name one of a/list, b/list.',
    });
    expect(evaluate(one, write).reasonCode).toBe('write_perhaps_before');
    expect(evaluate(write)).toMatchObject({ outcome: 'failed', reasonCode: 'write_without' });
    expect(evaluate(one, other, write)).toMatchObject({ outcome: 'skipped', reasonCode: 'tool_ambiguous' });
  });

  test('is an error on a trace without the start of the execution', () => {
    expect(noWriteBefore.evaluate(readTrace(traceOf(user(), called(list))), check).outcome).toBe('error');
  });
});
