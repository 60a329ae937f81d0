import { type Principal, principalKey } from '../../../core/principal.ts';
import type { Account } from '../../../store/account.ts';
import { auditEntry, writeAudit } from '../../../store/audit.ts';
import type { WorkspaceTransaction } from '../../../store/database.ts';

/** Leaves the audit row of a change about a member. */
export function noteMember(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  action: 'add' | 'invite' | 'join' | 'set-role' | 'remove',
  { id, email }: Pick<Account, 'id' | 'email'>,
  { principal, newId }: { principal: Principal; newId(): string },
): Promise<void> {
  return writeAudit(transaction, workspaceId, [
    auditEntry({ principal: principalKey(principal), random: { id: newId } }, 'member', action, {
      id,
      name: email,
    }),
  ]);
}
