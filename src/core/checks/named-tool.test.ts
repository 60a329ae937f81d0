import { describe, expect, test } from 'vitest';
import { called, conversation, offered } from '../../../test/sample-trace.ts';
import { verifies } from '../../../test/verifies.ts';
import { readTrace } from '../trace-view.ts';
import { calledInstead, callsOf, findTool } from './named-tool.ts';
import { toolCalled } from './tool-called.ts';
import { toolNotCalled } from './tool-not-called.ts';

const searchA = offered('search', {}, 'a', 'a/search');
const searchB = offered('search', {}, 'b', 'b/search');
const create = offered('create-prompt', {}, 'a');

describe('the tool that a name means', () => {
  test(verifies('is told apart by its server where two servers offer the same name', 'M30'), () => {
    const trace = readTrace(conversation({ tools: [searchA, searchB] }, called(searchB)));
    expect(toolCalled.evaluate(trace, { type: 'tool_called', tool: 'b/search' }).outcome).toBe('passed');
    expect(toolCalled.evaluate(trace, { type: 'tool_called', tool: 'a/search' }).outcome).toBe('failed');
    expect(toolNotCalled.evaluate(trace, { type: 'tool_not_called', tool: 'a/search' }).outcome).toBe(
      'passed',
    );
  });

  test(verifies('is nobody’s where a bare name stands for two tools, and both are named', 'M30'), () => {
    const trace = readTrace(conversation({ tools: [searchA, searchB] }, called(searchB)));
    const reason =
      'The version that answered offers more than one tool "search"; the check must name one of a/search, b/search.';
    expect(toolCalled.evaluate(trace, { type: 'tool_called', tool: 'search' })).toMatchObject({
      outcome: 'failed',
      reason,
    });
    expect(toolNotCalled.evaluate(trace, { type: 'tool_not_called', tool: 'search' })).toMatchObject({
      outcome: 'failed',
      actual: 'called: b/search',
      reason:
        'The tool "b/search", which the check may mean by "search", was called, first as call number 1; the check must name one tool that the version offers.',
    });
    const idle = readTrace(conversation({ tools: [searchA, searchB] }));
    expect(toolNotCalled.evaluate(idle, { type: 'tool_not_called', tool: 'search' })).toMatchObject({
      outcome: 'skipped',
      reason,
    });
  });

  test('may name its server where the plain name would do', () => {
    expect(findTool([create], 'create-prompt')).toEqual({ tool: create });
    expect(findTool([create], 'a/create-prompt')).toEqual({ tool: create });
    expect(findTool([create], 'b/create-prompt')).toMatchObject({
      problem: { reasonCode: 'tool_not_offered', reasonParams: { closest: 'create-prompt' } },
    });
  });

  test('is the listed one before one whose server and name read the same', () => {
    const listed = offered('a/create-prompt', {}, 'b');
    expect(findTool([create, listed], 'a/create-prompt')).toEqual({ tool: listed });
  });

  test('is nobody’s where two tools are listed under one name', () => {
    const twin = offered('create-prompt', {}, 'b');
    expect(findTool([create, twin], 'create-prompt')).toMatchObject({
      problem: { reasonCode: 'tool_ambiguous' },
    });
  });
});

describe('the calls of a tool', () => {
  test('are those of its server only', () => {
    const trace = readTrace(
      conversation({ tools: [searchA, searchB] }, called(searchA, '1'), called(searchB, '2')),
    );
    expect(callsOf(trace, searchB).map((call) => call.callId)).toEqual(['2']);
  });

  test('are named as people name them, each tool once, made-up ones apart', () => {
    const gone = offered('gone', {}, 'elsewhere');
    const trace = readTrace(
      conversation(
        { tools: [searchA, searchB] },
        called(searchB, '1'),
        called(searchA, '2'),
        called(searchB, '3'),
        called(gone, '4'),
        called('made_up', '5'),
      ),
    );
    expect(calledInstead(trace)).toBe(
      'called: b/search, a/search, elsewhere/gone; asked for, but never sent: made_up',
    );
  });
});
