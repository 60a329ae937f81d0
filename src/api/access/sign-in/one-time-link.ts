import { AssayError } from '../../../core/errors.ts';
import { hasAccounts } from '../../../store/account.ts';
import { replaceLink } from '../../../store/one-time-link.ts';
import type { Program } from '../../call/context.ts';
import { newSecret, secretHash } from './secret-hash.ts';

/** Pages that one-time links lead to. */
export const firstAdminPath = '/first-admin';
export const joinPath = '/join';

const invitationMs = 7 * 24 * 60 * 60 * 1000;

/** The link by which somebody becomes the first admin; null where somebody can sign in. The one of before ends. */
export async function newFirstAdminLink(program: Program): Promise<string | null> {
  const { system } = program.database;
  if (await hasAccounts(system)) return null;
  const token = newSecret();
  await replaceLink(system, { tokenHash: secretHash(token), accountId: null, expiresAt: null });
  return (await program.accounts()).linkTo(firstAdminPath, token);
}

/** The link by which somebody who has no password yet chooses one. The one of before ends. */
export async function newInvitation(program: Program, accountId: string): Promise<string> {
  const token = newSecret();
  const expiresAt = new Date(program.clock.now().getTime() + invitationMs);
  await replaceLink(program.database.system, { tokenHash: secretHash(token), accountId, expiresAt });
  return (await program.accounts()).linkTo(joinPath, token);
}

export function linkEnded(): AssayError {
  return new AssayError('not_found', 'This link was used already, or has ended.');
}
