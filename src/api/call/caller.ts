import { defaultWorkspace } from '../../contract/installation.ts';
import { AssayError } from '../../core/errors.ts';
import { localOperator, type Principal } from '../../core/principal.ts';
import { isAtLeast, lesserRole, type Role } from '../../core/role.ts';
import type { RunningCase } from '../../engine/testing/running-cases.ts';
import { type Account, operatorAccountId } from '../../store/account.ts';
import type { Database } from '../../store/database.ts';
import { membershipsOf } from '../../store/member.ts';
import { readTokenRights, type TokenRights } from '../../store/token.ts';
import { noSuchWorkspace } from './visible-workspace.ts';

/** Who calls, and what they may do where, as the surface that signed them in knows it. */
export interface Caller {
  principal: Principal;
  /** Their role in a workspace; null: they may not even know that it exists. */
  roleIn(workspaceId: string): Role | null;
  /** The same caller as they are at this moment; null: nobody is let in any more by what they came with. */
  again(): Promise<Caller | null>;
  /** The workspace that they mean where they name none; missing: the default one. */
  workspaceId?: string | undefined;
  /** The token that they call with; missing: they call as themselves. */
  token?: Pick<TokenRights, 'id' | 'ownerId' | 'expiresAt'>;
  /** The test case whose agent calls in their name: the runs that it starts belong to it. */
  inside?: RunningCase;
}

/** Whoever owns the installation is admin in every workspace of it. */
export const localCaller: Caller = {
  principal: localOperator,
  roleIn: () => 'admin',
  again: async () => localCaller,
};

/** A person who has signed in, with the roles that they have at this moment. */
export async function userCaller(
  { system }: Database,
  { id, name }: Pick<Account, 'id' | 'name'>,
  again: Caller['again'],
): Promise<Caller> {
  const memberships = await membershipsOf(system, id, defaultWorkspace);
  const roleOf = new Map(memberships.map(({ workspaceId, role }) => [workspaceId, role]));
  return {
    principal: { kind: 'user', id, name },
    roleIn: (workspaceId) => roleOf.get(workspaceId) ?? null,
    again,
    workspaceId: memberships[0]?.workspaceId,
  };
}

/** Whoever holds a token, which is named by its key or itself: in its workspace, with its role or that of its owner at
 *  this moment, whichever is less. null: it has ended. */
export async function tokenCaller(
  database: Database,
  by: { keyId: string } | { tokenId: string },
): Promise<Caller | null> {
  const rights = await readTokenRights(database.system, by);
  if (rights === undefined) return null;
  const { id, name, workspaceId, ownerId, expiresAt } = rights;
  const role = lesserRole(rights.ownerRole, rights.role);
  return {
    principal: { kind: 'token', id, name },
    roleIn: (asked) => (asked === workspaceId ? role : null),
    again: () => tokenCaller(database, { tokenId: id }),
    workspaceId,
    token: { id, ownerId, expiresAt },
  };
}

/** The account that owns what a caller makes. */
export function owningAccount({ principal, token }: Caller): string {
  return token?.ownerId ?? (principal.kind === 'operator' ? operatorAccountId : principal.id);
}

/** What the caller may do in the workspace that a call is in. Throws `not_found` where they may not see it. */
export function roleHere({ caller, workspace }: CallIn): Role {
  const role = caller.roleIn(workspace.id);
  if (role === null) throw noSuchWorkspace(workspace.name);
  return role;
}

interface CallIn {
  caller: Caller;
  workspace: { id: string; name: string };
}

/** Whether they may define programs that run where the workers run. An agent may not, whoever's name it calls in: what it
 *  was told to do may come from anybody. */
export function mayDefinePrograms(context: CallIn): boolean {
  return context.caller.inside === undefined && roleHere(context) === 'admin';
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

/** What is answered to whoever is not let in. */
export function unauthenticated(): AssayError {
  return new AssayError('unauthenticated', 'Sign in: send a token as "Authorization: Bearer <token>".');
}

/** Throws `forbidden` where a token calls, or an agent in somebody's name: what they could do would outlast them. */
export function requirePerson({ token, inside }: Caller): void {
  if (token === undefined && inside === undefined) return;
  throw new AssayError('forbidden', 'A token cannot do this. Sign in and do it yourself.');
}
