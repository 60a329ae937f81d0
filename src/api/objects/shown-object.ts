import type { WorkspaceTransaction } from '../../store/database.ts';
import { type Named, type NamedRow, readNamed } from '../../store/named.ts';
import type { ObjectKindOf } from './object-kind.ts';
import { createOffers } from './offers.ts';

/** An object as operations give it. */
export interface ShownObject<Document> extends NamedRow {
  document: Document;
  warnings: string[];
}

/** The object as it is now, and what is stored of it. */
export async function showObject<Document extends { name: string }, Stored extends Named, Prepared>(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  kind: ObjectKindOf<Document, Stored, Prepared>,
  { id, name }: Named,
): Promise<ShownObject<Document> & { stored: Stored }> {
  const row = await readNamed(transaction, workspaceId, kind.table, id);
  const [stored] = await kind.read(transaction, workspaceId, [name]);
  if (row === undefined || stored === undefined) throw new Error(`The ${kind.kind} ${id} is missing.`);
  const offers = createOffers(transaction, workspaceId);
  const warnings = (await kind.warnings?.(transaction, workspaceId, stored, offers)) ?? [];
  return { ...row, document: kind.document(stored), warnings, stored };
}
