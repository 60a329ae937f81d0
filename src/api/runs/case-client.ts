import { createRouterClient } from '@orpc/server';
import { type AssayClient, envelopeOf } from '../../contract/client.ts';
import { AssayError, ExecutionFailure } from '../../core/errors.ts';
import type { ToolScope } from '../../core/ports.ts';
import type { Principal } from '../../core/principal.ts';
import { isAtLeast, lesserRole } from '../../core/role.ts';
import type { RunningCases } from '../../engine/testing/running-cases.ts';
import type { Database } from '../../store/database.ts';
import { readStarter } from '../../store/inner-run.ts';
import { type Caller, localCaller, tokenCaller, userCaller } from '../call/caller.ts';
import type { Program } from '../call/context.ts';
import { router } from '../router.ts';

/** The operations as the agent of a test case may call them: in the name of whoever started the run, in the workspace of
 *  the run alone, with the role that they had when they started it or have at the call, whichever is less. Where that
 *  they have less now is why a call is refused, it throws ExecutionFailure('tool', 'access_lost'): the agent did nothing
 *  wrong. */
export function caseClient(program: Program, scope: ToolScope, running: RunningCases): AssayClient {
  return createRouterClient(router, {
    context: async () => ({
      caller: await callerOf(program, scope, running),
      workspaceRef: scope.workspaceId,
      program,
    }),
    interceptors: [
      async ({ next, context: { caller } }) => {
        try {
          return await next();
        } catch (error) {
          throw (await lossBehind(error, program, scope, caller)) ?? error;
        }
      },
    ],
  });
}

async function callerOf(program: Program, scope: ToolScope, running: RunningCases): Promise<Caller> {
  const { database } = program;
  const { workspaceId, runId, executionId } = scope;
  const inside = running.of(executionId);
  if (inside === undefined) {
    throw new AssayError('forbidden', 'The test case that calls this is not being run any more.');
  }
  const starter = await readStarter(database.system, { workspaceId, runId });
  const now = starter && (await callerNow(database, starter.principal));
  const present = now?.roleIn(workspaceId) ?? null;
  if (starter === undefined || !now || present === null) {
    throw accessLost('and they may do nothing in its workspace any more.');
  }
  const role = lesserRole(present, starter.role);
  return {
    ...now,
    roleIn: (id) => (id === workspaceId ? role : null),
    again: () => callerOf(program, scope, running),
    workspaceId,
    inside,
  };
}

/** The loss of access that is why a call was refused; null: it would have been refused from the beginning. */
async function lossBehind(
  error: unknown,
  { database }: Program,
  { workspaceId, runId }: ToolScope,
  caller: Caller,
): Promise<ExecutionFailure | null> {
  const refused = envelopeOf(error);
  if (refused === null || !['forbidden', 'unauthenticated'].includes(refused.code)) return null;
  const then = (await readStarter(database.system, { workspaceId, runId }))?.role;
  const now = caller.roleIn(workspaceId);
  if (then === undefined || now === null || isAtLeast(now, then)) return null;
  return accessLost(`who was ${then} in its workspace then and is ${now} there now. ${refused.message}`);
}

function accessLost(how: string): ExecutionFailure {
  const text = `This is done in the name of whoever started the run, ${how}`;
  return new ExecutionFailure('tool', 'access_lost', text);
}

/** As they would call themselves; null: they cannot any more. */
async function callerNow(database: Database, principal: Principal): Promise<Caller | null> {
  if (principal.kind === 'operator') return localCaller;
  if (principal.kind === 'user') {
    return userCaller(database, principal, () => callerNow(database, principal));
  }
  return tokenCaller(database, { tokenId: principal.id });
}
