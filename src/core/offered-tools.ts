import type { DiscoveredTool } from './ports.ts';
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
