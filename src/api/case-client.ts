import { createRouterClient } from '@orpc/server';
import type { AssayClient } from '../contract/client.ts';
import { type Role, roles } from '../contract/operation.ts';
import { AssayError } from '../core/errors.ts';
import type { ToolScope } from '../core/ports.ts';
import type { RunningCases } from '../engine/testing/running-cases.ts';
import { readStarter } from '../store/inner-run.ts';
import { presentRoles } from '../store/present-role.ts';
import type { Caller } from './caller.ts';
import type { Program } from './context.ts';
import { router } from './router.ts';

/** The operations as the agent of a test case may call them: in the name of whoever started the run, in the workspace of
 *  the run alone, with the role that they had when they started it or have at the call, whichever is less. */
export function caseClient(program: Program, scope: ToolScope, running: RunningCases): AssayClient {
  return createRouterClient(router, {
    context: async () => ({
      caller: await callerOf(program, scope, running),
      workspaceRef: scope.workspaceId,
      program,
    }),
  });
}

async function callerOf(
  { database: { system } }: Program,
  { workspaceId, runId, executionId }: ToolScope,
  running: RunningCases,
): Promise<Caller> {
  const starter = await readStarter(system, { workspaceId, runId });
  const inside = running.of(executionId);
  if (starter === undefined || inside === undefined) {
    throw new AssayError('forbidden', 'These tools act for whoever started a run, while a case of it runs.');
  }
  const { principal } = starter;
  const now = await presentRoles(system, principal, workspaceId);
  const role = now.length === 0 ? null : least([starter.role, ...now]);
  return { principal, roleIn: (id) => (id === workspaceId ? role : null), inside };
}

function least(some: readonly Role[]): Role | null {
  return roles.find((role) => some.includes(role)) ?? null;
}
