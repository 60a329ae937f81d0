import { createRouterClient } from '@orpc/server';
import type { AssayClient } from '../../contract/client.ts';
import { AssayError } from '../../core/errors.ts';
import type { ToolScope } from '../../core/ports.ts';
import type { Principal } from '../../core/principal.ts';
import type { RunningCases } from '../../engine/testing/running-cases.ts';
import type { Database } from '../../store/database.ts';
import { readStarter } from '../../store/inner-run.ts';
import { type Caller, isAtLeast, localCaller, tokenCaller, userCaller } from '../call/caller.ts';
import type { Program } from '../call/context.ts';
import { router } from '../router.ts';

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
  { database }: Program,
  { workspaceId, runId, executionId }: ToolScope,
  running: RunningCases,
): Promise<Caller> {
  const inside = running.of(executionId);
  if (inside === undefined) {
    throw new AssayError('forbidden', 'The test case that calls this is not being run any more.');
  }
  const starter = await readStarter(database.system, { workspaceId, runId });
  const now = starter && (await callerNow(database, starter.principal));
  const present = now?.roleIn(workspaceId) ?? null;
  if (starter === undefined || !now || present === null) {
    throw new AssayError(
      'forbidden',
      'This is done in the name of whoever started the run, and they may do nothing in its workspace any more.',
    );
  }
  const role = isAtLeast(present, starter.role) ? starter.role : present;
  return { ...now, roleIn: (id) => (id === workspaceId ? role : null), workspaceId, inside };
}

/** As they would call themselves; null: they cannot any more. */
async function callerNow(database: Database, principal: Principal): Promise<Caller | null> {
  if (principal.kind === 'operator') return localCaller;
  if (principal.kind === 'user') return userCaller(database, principal);
  return tokenCaller(database, { tokenId: principal.id });
}
