import type { DiscoveredTool, Redact } from './ports.ts';
import { redactedSchema } from './redacted-schema.ts';
import type { OfferedTool } from './trace.ts';

/** The tools of these servers under the names that people and checks use: `server/tool` where servers share a name. */
export function offeredTools(listed: { server: string; tools: DiscoveredTool[] }[]): OfferedTool[] {
  const servers = new Map<string, number>();
  for (const { tools } of listed) {
    for (const name of new Set(tools.map(({ tool }) => tool)))
      servers.set(name, (servers.get(name) ?? 0) + 1);
  }
  return listed.flatMap(({ server, tools }) =>
    tools.map((tool) => ({
      server,
      ...tool,
      name: servers.get(tool.tool) === 1 ? tool.tool : `${server}/${tool.tool}`,
    })),
  );
}

/** The tool without the secrets in what its server says of it. Names stay as they are, and so do the hints: checks tell
 *  by them what ran and what writes. */
export function redactedTool<Tool extends DiscoveredTool>(tool: Tool, redact: Redact): Tool {
  const { title, ...hints } = tool.annotations;
  return {
    ...tool,
    description: redact(tool.description),
    annotations: title === undefined ? hints : { ...hints, title: redact(title) },
    inputSchema: redactedSchema(tool.inputSchema, redact),
  };
}
