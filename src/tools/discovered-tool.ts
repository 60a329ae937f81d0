import type { Tool } from '@modelcontextprotocol/client';
import type { JsonObject } from '../core/json.ts';
import type { DiscoveredTool } from '../core/ports.ts';
import type { ToolAnnotations } from '../core/trace.ts';

const hints = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'] as const;

/** A tool as its server declared it. A hint that was not given stays absent: the protocol's defaults are no declaration. */
export function discoveredTool(tool: Tool): DiscoveredTool {
  const annotations: ToolAnnotations = {};
  for (const hint of hints) {
    const value = tool.annotations?.[hint];
    if (value !== undefined) annotations[hint] = value;
  }
  if (tool.annotations?.title !== undefined) annotations.title = tool.annotations.title;
  return {
    tool: tool.name,
    description: tool.description ?? '',
    annotations,
    inputSchema: tool.inputSchema as JsonObject,
  };
}
