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
import { readTrace } from '../trace-view.ts';
import { toolNotCalled } from './tool-not-called.ts';

const list = offered('list_directory', reads);
const write = offered('write_file', writes);
const check = { type: 'tool_not_called', tool: 'write_file' } as const;

describe('tool_not_called', () => {
  test(verifies('passes when the offered tool was not called', 'M29'), () => {
    const finding = toolNotCalled.evaluate(
      readTrace(conversation({ tools: [list, write] }, called(list))),
      check,
    );
    expect(finding).toMatchObject({
      outcome: 'passed',
      expected: 'the tool "write_file" is not called',
      actual: 'called: list_directory',
      reason: '',
    });
  });

  test(verifies('fails when the tool was called, even where the call ended in an error', 'M29'), () => {
    const trace = readTrace(
      conversation({ tools: [list, write] }, called(list, '1'), called(write, '2'), returned('2', true)),
    );
    expect(toolNotCalled.evaluate(trace, check)).toMatchObject({
      outcome: 'failed',
      actual: 'called once',
      reason: 'The tool "write_file" was called, first as call number 2.',
      reasonParams: { tool: 'write_file', position: 2 },
    });
  });

  test(verifies('is skipped for a tool that is not offered and names the closest one', 'M30', 'M26'), () => {
    const finding = toolNotCalled.evaluate(readTrace(conversation({ tools: [list, write] })), {
      type: 'tool_not_called',
      tool: 'write_fil',
    });
    expect(finding).toMatchObject({
      outcome: 'skipped',
      reasonCode: 'tool_not_offered',
      reasonParams: { tool: 'write_fil', closest: 'write_file' },
    });
    expect(finding.reason).toContain('"write_file"');
  });

  test('is skipped, not failed, when the model only asked for a tool that does not exist', () => {
    const trace = readTrace(conversation({ tools: [list] }, called('write_file')));
    expect(toolNotCalled.evaluate(trace, check).outcome).toBe('skipped');
  });

  test('is an error on a trace without the start of the execution', () => {
    expect(toolNotCalled.evaluate(readTrace(traceOf(user())), check).outcome).toBe('error');
  });
});
