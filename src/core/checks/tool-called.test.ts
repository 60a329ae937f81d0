import { describe, expect, test } from 'vitest';
import {
  agent,
  called,
  conversation,
  finished,
  offered,
  reads,
  returned,
  started,
  traceOf,
  user,
} from '../../../test/sample-trace.ts';
import { verifies } from '../../../test/verifies.ts';
import type { EventBody } from '../trace.ts';
import { readTrace } from '../trace-view.ts';
import { toolCalled } from './tool-called.ts';

const list = offered('list_directory', reads);
const read = offered('read_file', reads);
const check = { type: 'tool_called', tool: 'list_directory' } as const;
const find = (...happened: EventBody[]) =>
  toolCalled.evaluate(readTrace(conversation({ tools: [list, read] }, ...happened)), check);

describe('tool_called', () => {
  test(verifies('passes when the tool was called and says how often', 'M28', 'O1'), () => {
    expect(find(called(list), returned())).toEqual({
      outcome: 'passed',
      expected: 'the tool "list_directory" is called',
      actual: 'called once',
      reason: '',
      reasonCode: '',
      reasonParams: {},
    });
    expect(find(called(list, '1'), called(read, '2'), called(list, '3')).actual).toBe('called 2 times');
  });

  test(verifies('fails when the tool was not called and says what was called instead', 'M28', 'O1'), () => {
    expect(find(called(read))).toEqual({
      outcome: 'failed',
      expected: 'the tool "list_directory" is called',
      actual: 'called: read_file',
      reason: 'The tool "list_directory" was not called.',
      reasonCode: 'tool_not_called',
      reasonParams: { tool: 'list_directory' },
    });
    expect(find().actual).toBe('no tool was called');
  });

  test(verifies('reads what the agent did, not what it says it did', 'M3'), () => {
    const said = agent('I called list_directory and it worked.');
    const trace = readTrace(
      traceOf(started({ tools: [list] }), user('call list_directory'), said, finished()),
    );
    expect(toolCalled.evaluate(trace, check).outcome).toBe('failed');
  });

  test('counts a call that ended in an error, and one that never returned', () => {
    expect(find(called(list), returned('call', true)).outcome).toBe('passed');
    expect(find(called(list)).outcome).toBe('passed');
  });

  test(verifies('fails for a tool that is not offered and names the closest one', 'M30'), () => {
    const misspelt = { type: 'tool_called', tool: 'list_directori' } as const;
    const finding = toolCalled.evaluate(readTrace(conversation({ tools: [read, list] })), misspelt);
    expect(finding).toMatchObject({
      outcome: 'failed',
      reason:
        'The version that answered does not offer a tool "list_directori"; the closest it offers is "list_directory".',
      reasonParams: { tool: 'list_directori', closest: 'list_directory' },
    });
  });

  test('fails when the model asked for the tool but no such tool exists', () => {
    const finding = toolCalled.evaluate(
      readTrace(conversation({ tools: [read] }, called('list_directory'))),
      check,
    );
    expect(finding.outcome).toBe('failed');
    expect(finding.actual).toBe('no tool was called; asked for, but never sent: list_directory');
  });

  test('fails and says so when the version offers no tool at all', () => {
    const finding = toolCalled.evaluate(readTrace(conversation({})), check);
    expect(finding).toMatchObject({ outcome: 'failed', reasonCode: 'no_tools_offered' });
  });

  test('names are compared exactly', () => {
    const finding = toolCalled.evaluate(readTrace(conversation({ tools: [list] }, called(list))), {
      type: 'tool_called',
      tool: 'List_Directory',
    });
    expect(finding.outcome).toBe('failed');
  });

  test('is an error on a trace without the start of the execution', () => {
    const finding = toolCalled.evaluate(readTrace(traceOf(user(), called(list))), check);
    expect(finding).toMatchObject({
      outcome: 'error',
      expected: 'the tool "list_directory" is called',
      actual: 'the start of the execution is not recorded',
      reasonCode: 'trace_without_start',
    });
  });
});
