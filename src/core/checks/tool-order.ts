import { z } from 'zod';
import { checkKind, failed, passed } from '../check.ts';
import { reason } from '../reasons.ts';
import type { OfferedTool } from '../trace.ts';
import type { Trace } from '../trace-view.ts';
import { callsOf, findTool, quoted, toolName } from './named-tool.ts';

export const toolOrder = checkKind({
  title: 'Tool ordering',
  schema: z.strictObject({ type: z.literal('tool_order'), first: toolName, second: toolName }),
  source: 'trace',
  applies: 'Always. A tool that was never called, or is not offered, fails it.',
  sentence: ({ first, second }) =>
    `the first call of ${quoted(first)} comes before the first call of ${quoted(second)}`,
  names: ({ first, second }) => ({ tools: [first, second] }),
  judge(trace, { first, second }) {
    const foundFirst = findTool(trace.started.offered.tools, first);
    const foundSecond = findTool(trace.started.offered.tools, second);
    const positions = {
      first: 'tool' in foundFirst ? firstPosition(trace, foundFirst.tool) : null,
      second: 'tool' in foundSecond ? firstPosition(trace, foundSecond.tool) : null,
    };
    const actual = `${quoted(first)}: ${at(positions.first)}; ${quoted(second)}: ${at(positions.second)}`;
    // A tool that is not offered is missing from the calls like any other, only with a better explanation.
    if ('problem' in foundFirst) return failed(actual, foundFirst.problem);
    if ('problem' in foundSecond) return failed(actual, foundSecond.problem);
    if (positions.first === null && positions.second === null) {
      return failed(actual, reason('tools_not_called', { first, second }));
    }
    if (positions.first === null) return failed(actual, reason('tool_not_called', { tool: first }));
    if (positions.second === null) return failed(actual, reason('tool_not_called', { tool: second }));
    return positions.first < positions.second
      ? passed(actual)
      : failed(actual, reason('tool_order_reversed', { first, second }));
  },
});

/** Place of the tool's first call among all calls, counted from 1. */
function firstPosition(trace: Trace, tool: OfferedTool): number | null {
  const [first] = callsOf(trace, tool);
  return first === undefined ? null : trace.toolCalls.indexOf(first) + 1;
}

function at(position: number | null): string {
  return position === null ? 'never called' : `first as call number ${position}`;
}
