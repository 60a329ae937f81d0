import { sql } from 'kysely';
import type { WorkspaceTransaction } from './database.ts';

export interface AuditEntry {
  id: string;
  /** `principalKey` of who did it. */
  principal: string;
  /** Such as `test-suite.update`. */
  action: string;
  objectKind: string;
  objectId: string;
  objectName: string;
}

/** Notes who changed what, in the transaction of the change. */
export async function writeAudit(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  entries: readonly AuditEntry[],
): Promise<void> {
  if (entries.length === 0) return;
  await sql`
    insert into audit_entry (workspace_id, id, principal, action, object_kind, object_id, object_name)
    select ${workspaceId}, e.id, e.principal, e.action, e."objectKind", e."objectId", e."objectName"
    from json_to_recordset(${JSON.stringify(entries)}::json) as e(
      id uuid, principal text, action text, "objectKind" text, "objectId" uuid, "objectName" text)`.execute(
    transaction,
  );
}
