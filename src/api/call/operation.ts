import { os } from '@orpc/server';
import type { OperationMeta } from '../../contract/operation.ts';
import type { Role } from '../../core/role.ts';
import { listWorkspaces, type Workspace } from '../../store/workspace.ts';
import { type Caller, requirePerson, requireRole } from './caller.ts';
import type { ApiContext, Program } from './context.ts';
import { refusal } from './refusal.ts';
import { visibleWorkspace } from './visible-workspace.ts';

/** What a surface hands in with each call. */
export interface Call {
  caller: Caller;
  /** Name or id of the current workspace. */
  workspaceRef: string;
  program: Program;
}

/** What handlers get: the call in its current workspace, and what it takes to go to another one by an id. */
export interface OperationContext extends ApiContext {
  /** Least role of this operation. */
  role: Role;
  /** Every workspace the caller may see. */
  visible: Workspace[];
}

/** The one wrapper around every operation: finds the current workspace, checks the role there, and lets nothing out but
 *  the envelope. A workspace that the caller may not see is answered exactly like one that does not exist. The audit row
 *  is written by the handler in the transaction of its change. */
export const guarded = os.$context<Call>().middleware(async ({ context, procedure, next }) => {
  try {
    const meta = procedure['~orpc'].meta as OperationMeta;
    const entered = await enter(context, meta.role);
    if (meta.byPerson === true) requirePerson(context.caller);
    return await next({ context: entered });
  } catch (error) {
    throw refusal(error);
  }
});

async function enter(call: Call, role: Role): Promise<OperationContext> {
  const { caller, program } = call;
  const all = await listWorkspaces(program.database.system);
  const visible = all.filter(({ id }) => caller.roleIn(id) !== null);
  const workspace = visibleWorkspace(visible, call.workspaceRef);
  requireRole(caller, workspace, role);
  return { principal: caller.principal, workspace, program, caller, role, visible };
}
