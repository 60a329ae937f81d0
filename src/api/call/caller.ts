import { defaultWorkspace } from '../../contract/installation.ts';
import { type Role, roles } from '../../contract/operation.ts';
import { AssayError } from '../../core/errors.ts';
import { localOperator, type Principal } from '../../core/principal.ts';
import type { RunningCase } from '../../engine/testing/running-cases.ts';
import { type Account, operatorAccountId } from '../../store/account.ts';
import type { Database } from '../../store/database.ts';
import { membershipsOf } from '../../store/member.ts';
import { readGrant, type TokenGrant } from '../../store/token.ts';

/** Who calls, and what they may do where, as the surface that signed them in knows it. */
export interface Caller {
  principal: Principal;
  /** Their role in a workspace; null: they may not even know that it exists. */
  roleIn(workspaceId: string): Role | null;
  /** The workspace that they mean where they name none; missing: the default one. */
  workspaceId?: string | undefined;
  /** The token that they call with; missing: they call as themselves. */
  token?: Pick<TokenGrant, 'id' | 'ownerId' | 'expiresAt'>;
  /** The test case whose agent calls in their name: the runs that it starts belong to it. */
  inside?: RunningCase;
}

/** Whoever owns the installation is admin in every workspace of it. */
export const localCaller: Caller = { principal: localOperator, roleIn: () => 'admin' };

/** A person who has signed in, with the roles that they have at this moment. */
export async function userCaller(
  { system }: Database,
  { id, name }: Pick<Account, 'id' | 'name'>,
): Promise<Caller> {
  const memberships = await membershipsOf(system, id, defaultWorkspace);
  const roleOf = new Map(memberships.map(({ workspaceId, role }) => [workspaceId, role]));
  return {
    principal: { kind: 'user', id, name },
    roleIn: (workspaceId) => roleOf.get(workspaceId) ?? null,
    workspaceId: memberships[0]?.workspaceId,
  };
}

/** Whoever holds a token, which is named by its key or itself: in its workspace, with its role or that of its owner at
 *  this moment, whichever is less. null: it has ended. */
export async function tokenCaller(
  { system }: Database,
  by: { keyId: string } | { tokenId: string },
): Promise<Caller | null> {
  const grant = await readGrant(system, by);
  if (grant === undefined) return null;
  const { id, name, workspaceId, ownerId, expiresAt } = grant;
  const role = isAtLeast(grant.ownerRole, grant.role) ? grant.role : grant.ownerRole;
  return {
    principal: { kind: 'token', id, name },
    roleIn: (asked) => (asked === workspaceId ? role : null),
    workspaceId,
    token: { id, ownerId, expiresAt },
  };
}

/** The account that owns what a caller makes. */
export function accountOf({ principal, token }: Caller): string {
  return token?.ownerId ?? (principal.kind === 'operator' ? operatorAccountId : principal.id);
}

/** What the caller may do in the workspace that a call is in. */
export function roleHere({ caller, workspace }: { caller: Caller; workspace: { id: string } }): Role {
  return caller.roleIn(workspace.id) ?? 'viewer';
}

/** Whether they may define programs that run where the workers run. An agent may not, whoever's name it calls in: what it
 *  was told to do may come from anybody. */
export function mayDefinePrograms(context: { caller: Caller; workspace: { id: string } }): boolean {
  return context.caller.inside === undefined && roleHere(context) === 'admin';
}

/** Whether a role includes another one. */
export function isAtLeast(role: Role, other: Role): boolean {
  return roles.indexOf(role) >= roles.indexOf(other);
}

/** Throws `forbidden` where the caller's role in the workspace is less than `needed`. The workspace is one they see. */
export function requireRole(caller: Caller, workspace: { id: string; name: string }, needed: Role): void {
  const role = caller.roleIn(workspace.id);
  if (role !== null && isAtLeast(role, needed)) return;
  throw new AssayError(
    'forbidden',
    `This needs the role ${needed} in the workspace "${workspace.name}"; yours is ${role ?? 'none'}. Ask an admin of the workspace.`,
  );
}

/** Throws `forbidden` where a token calls, or an agent in somebody's name: what they could do would outlast them. */
export function requirePerson({ token, inside }: Caller): void {
  if (token === undefined && inside === undefined) return;
  throw new AssayError('forbidden', 'A token cannot do this. Sign in and do it yourself.');
}
