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
    const meant = 'tool' in found ? [found.tool] : found.meant;
    const firsts = meant.map((each) => callsOf(trace, each)[0]?.seq ?? Infinity);
    // Never called: everything counts as before it. Of several that it may mean, all must have been called.
    const first = meant.length === 0 ? Infinity : Math.max(...firsts);
    const before = trace.toolCalls.filter((call) => ran(call) && call.seq < first);
    const writes = before.filter((call) => effectOf(call) === 'writes').map(calledName);
    const undeclared = before.filter((call) => effectOf(call) === 'undeclared').map(calledName);

    const wasCalled = firsts.some((seq) => seq < Infinity);
    const when = wasCalled ? 'before it' : 'and the tool was never called';
    const explained = 'problem' in found ? ` (${found.problem.reason})` : '';
    const [write] = writes;
    if (write !== undefined) {
      const code = wasCalled ? 'write_before' : 'write_without';
      const because =
        meant.length > 1 && wasCalled
          ? reason('write_perhaps_before', { write, tool, choices: shownList(meant.map(({ name }) => name)) })
          : reason(code, { write, tool });
      return failed(`ran ${when}: ${shownList(writes)}${explained}`, because);
    }
    const [unclear] = undeclared;
    if (unclear !== undefined) {
      const code = wasCalled ? 'undeclared_before' : 'undeclared_without';
      return skipped(
        `ran ${when}: ${shownList(undeclared)}${explained}`,
        reason(code, { undeclared: unclear, tool }),
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
