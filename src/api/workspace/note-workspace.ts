import { auditEntry, writeAudit } from '../../store/audit.ts';
import type { WorkspaceTransaction } from '../../store/database.ts';
import type { Named } from '../../store/named.ts';
import { changedBy } from '../call/changed-by.ts';
import type { ApiContext } from '../call/context.ts';

/** Notes a change of a workspace in its audit log. */
export function noteWorkspace(
  transaction: WorkspaceTransaction,
  action: 'create' | 'update' | 'archive',
  { id, name }: Named,
  context: Pick<ApiContext, 'program' | 'principal'>,
): Promise<void> {
  return writeAudit(transaction, id, [auditEntry(changedBy(context), 'workspace', action, { id, name })]);
}
