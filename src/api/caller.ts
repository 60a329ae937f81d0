import { type Role, roles } from '../contract/operation.ts';
import { AssayError } from '../core/errors.ts';
import { localOperator, type Principal } from '../core/principal.ts';
import type { RunningCase } from '../engine/testing/running-cases.ts';

/** Who calls, and what they may do where, as the surface that signed them in knows it. */
export interface Caller {
  principal: Principal;
  /** Their role in a workspace; null: they may not even know that it exists. */
  roleIn(workspaceId: string): Role | null;
  /** The test case whose agent calls in their name: the runs that it starts belong to it. */
  inside?: RunningCase;
}

/** Whoever owns the installation is admin in every workspace of it. */
export const localCaller: Caller = { principal: localOperator, roleIn: () => 'admin' };

/** What the caller may do in the workspace that a call is in. */
export function roleHere({ caller, workspace }: { caller: Caller; workspace: { id: string } }): Role {
  return caller.roleIn(workspace.id) ?? 'viewer';
}

/** Throws `forbidden` where the caller's role in the workspace is less than `needed`. The workspace is one they see. */
export function requireRole(caller: Caller, workspace: { id: string; name: string }, needed: Role): void {
  const role = caller.roleIn(workspace.id);
  if (role !== null && roles.indexOf(role) >= roles.indexOf(needed)) return;
  throw new AssayError(
    'forbidden',
    `This needs the role ${needed} in the workspace "${workspace.name}"; yours is ${role ?? 'none'}. Ask an admin of the workspace.`,
  );
}
