import type { Program } from '../api/call/context.ts';
import type { Installation } from '../cli/surroundings.ts';
import type { ToolScope } from '../core/ports.ts';
import type { RunningCases } from '../engine/testing/running-cases.ts';
import type { ServeMcp } from '../http/mcp.ts';
import type { Warn } from '../http/warn.ts';
import { stopSignal } from './signals.ts';

/** Loaded with the first message: whoever speaks no MCP need not wait for it. */
export function lateMcp(warn: Warn): ServeMcp {
  let made: Promise<ServeMcp> | null = null;
  const make = async () => {
    const [{ mcpOverHttp }, { default: packageFile }] = await Promise.all([
      import('../mcp/http.ts'),
      import('../../package.json', { with: { type: 'json' } }),
    ]);
    return mcpOverHttp(packageFile.version, (error) => warn('an MCP message was not served', error));
  };
  return async (request, call) => {
    made ??= make();
    return (await made)(request, call);
  };
}

export const speakMcp: Installation['speakMcp'] = async (client) => {
  const [{ speakMcpOverStdio }, { default: packageFile }] = await Promise.all([
    import('../mcp/server.ts'),
    import('../../package.json', { with: { type: 'json' } }),
  ]);
  const stopped = new AbortController();
  void stopSignal().then(() => stopped.abort());
  await speakMcpOverStdio(client, packageFile.version, stopped.signal);
};

/** This product's own tools, for a test case or (`scope` null) only to be listed. */
export async function connectBuiltin(program: Program, scope: ToolScope | null, running: RunningCases) {
  const [{ serveInMemory }, { caseClient }, { default: packageFile }] = await Promise.all([
    import('../mcp/in-memory.ts'),
    import('../api/runs/case-client.ts'),
    import('../../package.json', { with: { type: 'json' } }),
  ]);
  return serveInMemory(scope && caseClient(program, scope, running), packageFile.version);
}
