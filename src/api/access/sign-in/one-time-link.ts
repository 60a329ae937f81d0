import type { Transaction } from 'kysely';
import { AssayError } from '../../../core/errors.ts';
import { hasAccounts } from '../../../store/account.ts';
import { type LinkedPerson, lockLinks, replaceLink } from '../../../store/one-time-link.ts';
import type { Schema } from '../../../store/schema.ts';
import type { Program } from '../../call/context.ts';
import { newSecret, secretHash } from './secret-hash.ts';

/** Pages that one-time links lead to. */
export const firstAdminPath = '/first-admin';
export const joinPath = '/join';

const invitationMs = 7 * 24 * 60 * 60 * 1000;

/** The link by which somebody becomes the first admin; null where somebody can sign in. The one of before ends. */
export async function newFirstAdminLink({ database, accounts }: Program): Promise<string | null> {
  const token = newSecret();
  const isMade = await database.system.transaction().execute(async (transaction) => {
    await lockLinks(transaction);
    if (await hasAccounts(transaction)) return false;
    await replaceLink(transaction, { tokenHash: secretHash(token), person: null, expiresAt: null });
    return true;
  });
  return isMade ? (await accounts()).linkTo(firstAdminPath, token) : null;
}

/** The token of a link by which somebody who has no password yet chooses one, made under the lock of `lockLinks`. The one
 *  of before ends. */
export async function newInvitation(
  transaction: Transaction<Schema>,
  person: NonNullable<LinkedPerson>,
  now: Date,
): Promise<string> {
  const token = newSecret();
  const expiresAt = new Date(now.getTime() + invitationMs);
  await replaceLink(transaction, { tokenHash: secretHash(token), person, expiresAt });
  return token;
}

export function linkEnded(): AssayError {
  return new AssayError('not_found', 'This link was used already, or has ended.');
}
