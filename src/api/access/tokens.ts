import { implement } from '@orpc/server';
import { validate as isUuid } from 'uuid';
import { tokensContract } from '../../contract/tokens.ts';
import { AssayError } from '../../core/errors.ts';
import { isAtLeast, type Role } from '../../core/role.ts';
import { type Account, operatorAccountId, readAccounts } from '../../store/account.ts';
import { auditEntry, writeAudit } from '../../store/audit.ts';
import type { WorkspaceTransaction } from '../../store/database.ts';
import { holdMember } from '../../store/member.ts';
import {
  deleteKeysWithoutToken,
  deleteToken,
  holdToken,
  insertToken,
  lastUses,
  listTokens,
  readToken,
  type StoredToken,
  type TokensOf,
} from '../../store/token.ts';
import { owningAccount, roleHere, unauthenticated } from '../call/caller.ts';
import { changedBy } from '../call/changed-by.ts';
import type { ApiContext } from '../call/context.ts';
import { type Call, guarded } from '../call/operation.ts';
import { type PageInput, pageById } from '../call/page.ts';
import { noSuchWorkspace } from '../call/visible-workspace.ts';

const tokens = implement(tokensContract).$context<Call>().use(guarded);

export const router = tokens.router({
  list: tokens.list.handler(({ context, input }) => list(context, input)),
  create: tokens.create.handler(({ context, input }) => create(context, input)),
  revoke: tokens.revoke.handler(({ context, input }) => revoke(context, input.id)),
});

/** Admins mean the tokens of all, a token itself and those that it has made, everybody else their own. */
function tokensOf(context: ApiContext): TokensOf {
  const { caller } = context;
  if (roleHere(context) === 'admin') return 'all';
  return caller.token === undefined ? { ownerId: owningAccount(caller) } : { tokenId: caller.token.id };
}

async function list(context: ApiContext, input: PageInput) {
  const { program, workspace } = context;
  const { database } = program;
  const page = await database.inWorkspace(workspace.id, (transaction) =>
    pageById(
      input,
      (after, limit) => listTokens(transaction, workspace.id, tokensOf(context), { after, limit }),
      ({ id }) => id,
    ),
  );
  const { items } = page;
  const owners = await readAccounts(
    database.system,
    items.map(({ ownerId }) => ownerId),
  );
  const uses = await lastUses(
    database.system,
    items.map(({ keyId }) => keyId),
  );
  return {
    items: items.map((token) => shown(token, owners.get(token.ownerId), uses.get(token.keyId))),
    nextCursor: page.nextCursor,
  };
}

/** A token may do no more than whoever makes it, and one that a token makes does not outlast it. */
async function create(
  context: ApiContext,
  { name, role, expiresInDays }: { name: string; role: Role; expiresInDays?: number | undefined },
) {
  const { caller, program, workspace } = context;
  const mine = roleHere(context);
  if (!isAtLeast(mine, role)) {
    throw new AssayError('forbidden', `A token of yours can be ${mine} at most in "${workspace.name}".`, [
      { field: 'role', value: role, message: `must be ${mine} at most` },
    ]);
  }
  const ownerId = owningAccount(caller);
  const key = await (await program.accounts()).createKey({
    name,
    ownerId,
    expiresInSeconds: secondsToLast(context, expiresInDays),
  });
  const stored = await program.database.inWorkspace(workspace.id, async (transaction) => {
    await holdOwner(transaction, context, ownerId);
    const inserted = await insertToken(transaction, workspace.id, {
      id: program.random.id(),
      name,
      role,
      ownerId,
      parentId: caller.token?.id ?? null,
      keyId: key.id,
      start: key.start,
      expiresAt: key.expiresAt,
    });
    await note(context, transaction, 'create', inserted);
    return inserted;
  });
  const owners = await readAccounts(program.database.system, [ownerId]);
  return { ...shown(stored, owners.get(ownerId), undefined), token: key.key };
}

/** Has the owner of a new token stay a member, and the token that makes it stay, until the transaction ends: both end what
 *  is theirs when they go. Throws what their next call would be told where they are gone. */
async function holdOwner(
  transaction: WorkspaceTransaction,
  { caller, workspace }: ApiContext,
  ownerId: string,
): Promise<void> {
  const isHeld = ownerId === operatorAccountId || (await holdMember(transaction, workspace.id, ownerId));
  if (caller.token === undefined) {
    if (!isHeld) throw noSuchWorkspace(workspace.name);
  } else if (!isHeld || !(await holdToken(transaction, workspace.id, caller.token.id))) {
    throw unauthenticated();
  }
}

const daySeconds = 24 * 60 * 60;

/** null: for ever. */
function secondsToLast({ caller, program }: ApiContext, days: number | undefined): number | null {
  const wanted = days === undefined ? null : days * daySeconds;
  const end = caller.token?.expiresAt ?? null;
  if (end === null) return wanted;
  const left = Math.floor((end.getTime() - program.clock.now().getTime()) / 1000);
  if (wanted !== null && wanted > left) {
    const message = 'must not be later than the end of the token that you call with';
    throw new AssayError('forbidden', `The end of the new token ${message}.`, [
      { field: 'expiresInDays', value: days, message },
    ]);
  }
  return wanted ?? Math.max(1, left);
}

async function revoke(context: ApiContext, id: string) {
  const { program, workspace } = context;
  const revoked = await program.database.inWorkspace(workspace.id, async (transaction) => {
    const token = isUuid(id) ? await readToken(transaction, workspace.id, tokensOf(context), id) : undefined;
    if (token === undefined) {
      throw new AssayError('not_found', `There is no token "${id}" that you may revoke.`, [
        { field: 'id', value: id, message: 'is no token of yours here' },
      ]);
    }
    await deleteToken(transaction, workspace.id, token.id);
    await note(context, transaction, 'revoke', token);
    return { id: token.id, name: token.name };
  });
  await deleteKeysWithoutToken(program.database.system);
  return revoked;
}

function note(
  { principal, program, workspace }: ApiContext,
  transaction: WorkspaceTransaction,
  action: 'create' | 'revoke',
  { id, name }: { id: string; name: string },
): Promise<void> {
  return writeAudit(transaction, workspace.id, [
    auditEntry(changedBy({ program, principal }), 'token', action, { id, name }),
  ]);
}

function shown(token: StoredToken, owner: Account | undefined, lastUsedAt: Date | undefined) {
  const { id, name, role, ownerId, start, createdAt, expiresAt } = token;
  return {
    id,
    name,
    role,
    owner: { id: ownerId, name: owner?.name ?? '' },
    start,
    createdAt: createdAt.toISOString(),
    expiresAt: expiresAt?.toISOString() ?? null,
    lastUsedAt: lastUsedAt?.toISOString() ?? null,
  };
}
