import { z } from 'zod';
import { checkKind, failed, passed, skipped } from '../check.ts';
import { reason } from '../reasons.ts';
import { shownList } from '../text/shown-text.ts';
import type { ToolAnnotations } from '../trace.ts';
import type { TracedToolCall } from '../trace-view.ts';
import { calledName, callsOf, findTool, quoted, ran, toolName } from './named-tool.ts';

export const noWriteBefore = checkKind({
  title: 'No write before tool',
  schema: z.strictObject({ type: z.literal('no_write_before'), tool: toolName }),
  source: 'trace',
  applies:
    'Where every tool that ran before says whether it writes; else it is skipped, unless one that does write ran before. Skipped too where the version does not offer the tool.',
  sentence: ({ tool }) => `no data-changing tool runs before the first call of ${quoted(tool)}`,
  names: ({ tool }) => ({ tools: [tool] }),
  judge(trace, { tool }) {
    const found = findTool(trace.started.offered.tools, tool);
    const [named] = 'tool' in found ? callsOf(trace, found.tool) : [];
    // Never called: everything counts as before it.
    const before = trace.toolCalls.filter(
      (call) => ran(call) && (named === undefined || call.seq < named.seq),
    );
    const writes = before.filter((call) => effectOf(call) === 'writes').map(calledName);
    const undeclared = before.filter((call) => effectOf(call) === 'undeclared').map(calledName);

    const when = named === undefined ? 'and the tool was never called' : 'before it';
    const explained = 'problem' in found ? ` (${found.problem.reason})` : '';
    const [write] = writes;
    if (write !== undefined) {
      const code = named === undefined ? 'write_without' : 'write_before';
      return failed(`ran ${when}: ${shownList(writes)}${explained}`, reason(code, { write, tool }));
    }
    const [first] = undeclared;
    if (first !== undefined) {
      const code = named === undefined ? 'undeclared_without' : 'undeclared_before';
      return skipped(
        `ran ${when}: ${shownList(undeclared)}${explained}`,
        reason(code, { undeclared: first, tool }),
      );
    }
    const actual = `no data-changing tool ran ${when}`;
    return 'problem' in found ? skipped(actual, found.problem) : passed(actual);
  },
});

function effectOf(call: TracedToolCall): 'reads' | 'writes' | 'undeclared' {
  const hints: ToolAnnotations = call.offered?.annotations ?? {};
  if (hints.readOnlyHint === true) return 'reads';
  if (hints.readOnlyHint === false || hints.destructiveHint !== undefined) return 'writes';
  return 'undeclared';
}
