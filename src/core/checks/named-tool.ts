import { z } from 'zod';
import { type Reason, reason } from '../reasons.ts';
import { closestName } from '../text/closest-name.ts';
import { shown, shownList } from '../text/shown-text.ts';
import type { OfferedTool } from '../trace.ts';
import type { Trace, TracedToolCall } from '../trace-view.ts';

/** A tool as pickers list it: its own name, or `server/tool` where two servers offer the same name. Compared exactly. */
export const toolName = z
  .string()
  .max(500, 'must have at most 500 characters')
  .refine((name) => name.trim() !== '', 'must name a tool, not be blank');

/** The one offered tool that `name` means, or why there is none, with those that it may mean. `server/tool` is understood
 *  also where the plain name would do, so that a check stays valid when another server stops offering the same name. */
export function findTool(
  offered: readonly OfferedTool[],
  name: string,
): { tool: OfferedTool } | { problem: Reason; meant: OfferedTool[] } {
  const listed = offered.filter((tool) => tool.name === name);
  const meant =
    listed.length > 0
      ? listed
      : offered.filter((tool) => tool.tool === name || `${tool.server}/${tool.tool}` === name);
  const [tool] = meant;
  if (tool !== undefined && meant.length === 1) return { tool };

  if (tool !== undefined) {
    const choices = shownList(meant.map((other) => other.name));
    return { problem: reason('tool_ambiguous', { tool: name, choices }), meant };
  }
  const closest = closestName(
    name,
    offered.map((other) => other.name),
  );
  return {
    problem:
      closest === null
        ? reason('no_tools_offered', { tool: name })
        : reason('tool_not_offered', { tool: name, closest }),
    meant: [],
  };
}

/** Whether anything was sent: a call of a tool that does not exist, or with arguments that are no JSON, never ran; one
 *  that failed or was aborted did. */
export function ran(call: TracedToolCall): boolean {
  return call.server !== null;
}

/** The calls that a name may mean where it means no one tool: those of every tool that is called so in any way. */
export function callsPerhapsOf(trace: Trace, name: string): TracedToolCall[] {
  return trace.toolCalls.filter(
    (call) =>
      ran(call) &&
      (call.tool === name || calledName(call) === name || `${call.server}/${call.tool}` === name),
  );
}

export function callsOf(trace: Trace, tool: OfferedTool): TracedToolCall[] {
  return trace.toolCalls.filter((call) => call.server === tool.server && call.tool === tool.tool);
}

/** How people name the tool of a call. */
export function calledName(call: TracedToolCall): string {
  return call.offered?.name ?? (call.server === null ? call.tool : `${call.server}/${call.tool}`);
}

/** `actual` of a finding about calls: what was called instead. */
export function calledInstead(trace: Trace): string {
  const called = trace.toolCalls.filter(ran).map(calledName);
  const unsent = trace.toolCalls.filter((call) => !ran(call)).map((call) => call.tool);
  const calls = called.length === 0 ? 'no tool was called' : `called: ${shownList(called)}`;
  return unsent.length === 0 ? calls : `${calls}; asked for, but never sent: ${shownList(unsent)}`;
}

export function times(count: number): string {
  return count === 1 ? 'called once' : `called ${count} times`;
}

export function quoted(name: string): string {
  return `"${shown(name)}"`;
}
