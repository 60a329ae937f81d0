import { describe, expect, test } from 'vitest';
import { called, conversation, offered, returned, traceOf, user } from '../../../test/sample-trace.ts';
import { verifies } from '../../../test/verifies.ts';
import { readTrace } from '../trace-view.ts';
import { toolOrder } from './tool-order.ts';

const a = offered('a');
const b = offered('b');
const c = offered('c');
const check = { type: 'tool_order', first: 'a', second: 'b' } as const;
const find = (...calls: (typeof a | string)[]) =>
  toolOrder.evaluate(
    readTrace(conversation({ tools: [a, b, c] }, ...calls.map((tool, index) => called(tool, `${index}`)))),
    check,
  );

describe('tool_order', () => {
  test(verifies('passes when the first call of one came before the first call of the other', 'M31'), () => {
    expect(find(c, a, b)).toMatchObject({
      outcome: 'passed',
      expected: 'the first call of "a" comes before the first call of "b"',
      actual: '"a": first as call number 2; "b": first as call number 3',
      reason: '',
    });
    expect(find(a, b, a).outcome).toBe('passed');
  });

  test(verifies('fails when only a later call is in order', 'M31'), () => {
    expect(find(b, a, b)).toMatchObject({
      outcome: 'failed',
      actual: '"a": first as call number 2; "b": first as call number 1',
      reason: 'The first call of "a" did not come before the first call of "b".',
    });
  });

  test(verifies('fails and names the tool that is missing', 'M31'), () => {
    expect(find(b)).toMatchObject({ outcome: 'failed', reason: 'The tool "a" was not called.' });
    expect(find(a)).toMatchObject({ outcome: 'failed', reason: 'The tool "b" was not called.' });
    expect(find(c)).toMatchObject({ outcome: 'failed', reason: 'Neither "a" nor "b" was called.' });
  });

  test(verifies('takes the order listed within one message of the model', 'M33'), () => {
    const inOneMessage = (...tools: (typeof a)[]) =>
      toolOrder.evaluate(
        readTrace(
          conversation(
            { tools: [a, b] },
            ...tools.map((tool, index) => called(tool, `${index}`, 'same batch')),
            // The answers come back in another order than the calls were listed.
            returned('1'),
            returned('0'),
          ),
        ),
        check,
      ).outcome;
    expect(inOneMessage(a, b)).toBe('passed');
    expect(inOneMessage(b, a)).toBe('failed');
  });

  test('a call of a tool that does not exist takes no place in the order', () => {
    const trace = readTrace(
      conversation({ tools: [a, b] }, called('b', '0'), called(a, '1'), called(b, '2')),
    );
    expect(toolOrder.evaluate(trace, check).outcome).toBe('passed');
  });

  test(verifies('fails for a tool that is not offered and names the closest one', 'M30'), () => {
    const trace = readTrace(conversation({ tools: [a, b] }, called(a, '0'), called(b, '1')));
    expect(toolOrder.evaluate(trace, { type: 'tool_order', first: 'aa', second: 'b' })).toMatchObject({
      outcome: 'failed',
      reasonParams: { tool: 'aa', closest: 'a' },
    });
    expect(toolOrder.evaluate(trace, { type: 'tool_order', first: 'a', second: 'bb' })).toMatchObject({
      outcome: 'failed',
      reasonParams: { tool: 'bb', closest: 'b' },
    });
  });

  test('never holds of one tool with itself', () => {
    const trace = readTrace(conversation({ tools: [a] }, called(a, '0'), called(a, '1')));
    expect(toolOrder.evaluate(trace, { type: 'tool_order', first: 'a', second: 'a' }).outcome).toBe('failed');
  });

  test('is an error on a trace without the start of the execution', () => {
    expect(toolOrder.evaluate(readTrace(traceOf(user(), called(a), called(b))), check).outcome).toBe('error');
  });
});
