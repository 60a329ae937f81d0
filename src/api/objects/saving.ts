import type { ObjectKind } from '../../contract/apply.ts';
import type { Random, Secrets } from '../../core/ports.ts';
import type { Role } from '../../core/role.ts';
import { type AuditEntry, auditEntry, writeAudit } from '../../store/audit.ts';
import type { WorkspaceTransaction } from '../../store/database.ts';
import { lockDefinitions } from '../../store/definition-lock.ts';
import type { Named } from '../../store/named.ts';
import { mayDefinePrograms, roleHere } from '../call/caller.ts';
import { changedBy } from '../call/changed-by.ts';
import type { ApiContext } from '../call/context.ts';
import { createOffers, type Offers } from './offers.ts';
import { createReferences, type References } from './references.ts';

type Change = 'create' | 'update' | 'archive' | 'deploy' | 'set-target' | 'refresh-tools';

/** What the kinds of objects share while they save, in one transaction. */
export interface Saving {
  transaction: WorkspaceTransaction;
  workspaceId: string;
  /** Of the caller in this workspace. */
  role: Role;
  /** Whether the caller may define programs that run where the workers run. */
  mayDefinePrograms: boolean;
  secrets: Secrets;
  random: Random;
  references: References;
  offers: Offers;
  /** Notes a change for the audit log. */
  note(action: Change, kind: ObjectKind, object: Named): void;
}

/** Saves objects in one transaction, with its audit rows; whatever is thrown undoes all of it. */
export function inSaving<Result>(
  { principal, caller, workspace, program }: ApiContext,
  work: (saving: Saving) => Promise<Result>,
): Promise<Result> {
  return program.database.inWorkspace(workspace.id, async (transaction) => {
    await lockDefinitions(transaction, workspace.id, 'write');
    const entries: AuditEntry[] = [];
    const by = changedBy({ program, principal });
    const result = await work({
      transaction,
      workspaceId: workspace.id,
      role: roleHere({ caller, workspace }),
      mayDefinePrograms: mayDefinePrograms({ caller, workspace }),
      secrets: program.secrets,
      random: program.random,
      references: createReferences(transaction, workspace.id),
      offers: createOffers(transaction, workspace.id),
      note(action, kind, object) {
        entries.push(auditEntry(by, kind, action, object));
      },
    });
    await writeAudit(transaction, workspace.id, entries);
    return result;
  });
}
