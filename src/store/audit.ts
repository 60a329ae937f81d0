import { sql } from 'kysely';
import type { Random } from '../core/ports.ts';
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

/** Whose change an entry notes, and where its id comes from. */
export interface ChangedBy {
  /** `principalKey` of who makes the change. */
  principal: string;
  random: Pick<Random, 'id'>;
}

/** The entry of a change: what was done to an object of a kind, such as `update` to a `test-suite`. */
export function auditEntry(
  { principal, random }: ChangedBy,
  objectKind: string,
  done: string,
  { id, name }: { id: string; name: string },
): AuditEntry {
  return {
    id: random.id(),
    principal,
    action: `${objectKind}.${done}`,
    objectKind,
    objectId: id,
    objectName: name,
  };
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

/** Entries of the workspace, newest first: ids grow with time. `at` as ISO 8601. */
export async function listAudit(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  filter: { [Field in 'objectKind' | 'objectId' | 'action']?: string | undefined },
  { before, limit }: { before: string | undefined; limit: number },
) {
  const columns = { objectKind: 'object_kind', objectId: 'object_id', action: 'action' } as const;
  let query = transaction
    .selectFrom('audit_entry')
    .select([
      'id',
      'at',
      'principal',
      'action',
      'object_kind as objectKind',
      'object_id as objectId',
      'object_name as objectName',
    ])
    .where('workspace_id', '=', workspaceId);
  for (const [field, column] of Object.entries(columns)) {
    const value = filter[field as keyof typeof columns];
    if (value !== undefined) query = query.where(column, '=', value);
  }
  if (before !== undefined) query = query.where('id', '<', before);
  const rows = await query.orderBy('id', 'desc').limit(limit).execute();
  return rows.map(({ at, ...row }) => ({ ...row, at: at.toISOString() }));
}
