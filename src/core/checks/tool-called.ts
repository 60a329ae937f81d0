import { z } from 'zod';
import { checkKind, failed, passed } from '../check.ts';
import { reason } from '../reasons.ts';
import { calledInstead, callsOf, findTool, quoted, times, toolName } from './named-tool.ts';

export const toolCalled = checkKind({
  title: 'Tool was called',
  schema: z.strictObject({ type: z.literal('tool_called'), tool: toolName }),
  source: 'trace',
  applies: 'Always. A tool that the version does not offer was not called: the check fails.',
  sentence: ({ tool }) => `the tool ${quoted(tool)} is called`,
  names: ({ tool }) => ({ tools: [tool] }),
  judge(trace, { tool }) {
    const found = findTool(trace.started.offered.tools, tool);
    if ('problem' in found) return failed(calledInstead(trace), found.problem);
    const calls = callsOf(trace, found.tool);
    return calls.length > 0
      ? passed(times(calls.length))
      : failed(calledInstead(trace), reason('tool_not_called', { tool }));
  },
});
