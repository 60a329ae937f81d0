import { z } from 'zod';
import { checkKind, failed, passed, skipped } from '../check.ts';
import { reason } from '../reasons.ts';
import {
  calledInstead,
  calledName,
  callsOf,
  callsPerhapsOf,
  findTool,
  quoted,
  times,
  toolName,
} from './named-tool.ts';

export const toolNotCalled = checkKind({
  title: 'Tool was not called',
  schema: z.strictObject({ type: z.literal('tool_not_called'), tool: toolName }),
  source: 'trace',
  applies:
    'Where the version that answered offers the tool; else it is skipped. A name that stands for several tools fails it when any of them was called, and is skipped when none was.',
  sentence: ({ tool }) => `the tool ${quoted(tool)} is not called`,
  names: ({ tool }) => ({ tools: [tool] }),
  judge(trace, { tool }) {
    const found = findTool(trace.started.offered.tools, tool);
    // A tool that cannot be called says nothing about the agent, and a misspelt name must not look like good conduct.
    if ('problem' in found) {
      const [perhaps] = callsPerhapsOf(trace, tool);
      if (perhaps === undefined) return skipped(calledInstead(trace), found.problem);
      const position = trace.toolCalls.indexOf(perhaps) + 1;
      return failed(
        calledInstead(trace),
        reason('tool_perhaps_called', { tool, called: calledName(perhaps), position }),
      );
    }
    const calls = callsOf(trace, found.tool);
    const [first] = calls;
    return first === undefined
      ? passed(calledInstead(trace))
      : failed(
          times(calls.length),
          reason('tool_called', { tool, position: trace.toolCalls.indexOf(first) + 1 }),
        );
  },
});
