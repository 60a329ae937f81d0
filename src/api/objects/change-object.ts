import { nounWords } from '../../core/noun-words.ts';
import type { WorkspaceTransaction } from '../../store/database.ts';
import {
  findNamed,
  type Named,
  type NamedRow,
  type NamedTable,
  nameTaken,
  readNamed,
} from '../../store/named.ts';
import type { ApiContext } from '../call/context.ts';
import { locate } from '../call/locate.ts';
import type { OperationContext } from '../call/operation.ts';
import { requireRevision } from '../call/revision.ts';
import { requireNamed } from './get-object.ts';
import type { ObjectKindOf, Saved } from './object-kind.ts';
import { createProblems } from './problems.ts';
import { inSaving } from './saving.ts';
import { type ShownObject, showObject } from './shown-object.ts';
import { submit } from './submit.ts';

/** Creates an object of this kind. Throws `conflict` where another one has its name. */
export function createObject<Document extends { name: string }, Stored extends Named, Prepared>(
  context: ApiContext,
  kind: ObjectKindOf<Document, Stored, Prepared>,
  document: Document,
): Promise<ShownObject<Document> & { stored: Stored }> {
  return saveOne(context, kind, document, null);
}

/** Replaces the object that an id or name means; it may get another name. Throws `not_found`, and `conflict` where it is
 *  not of the revision that the caller knows, or another one has the name. */
export async function replaceObject<Document extends { name: string }, Stored extends Named, Prepared>(
  context: OperationContext,
  kind: ObjectKindOf<Document, Stored, Prepared>,
  { id: reference, revision, ...document }: Document & { id: string; revision: number },
): Promise<ShownObject<Document> & { stored: Stored }> {
  const located = await locate(context, kind.table, reference);
  // without the two it is a document again, which the compiler cannot tell of a type that it does not know
  return saveOne(located, kind, document as unknown as Document, { reference, revision });
}

/** The object that an update means. */
interface Target {
  reference: string;
  revision: number;
}

async function saveOne<Document extends { name: string }, Stored extends Named, Prepared>(
  context: ApiContext,
  kind: ObjectKindOf<Document, Stored, Prepared>,
  document: Document,
  target: Target | null,
): Promise<ShownObject<Document> & { stored: Stored }> {
  const { table } = kind;
  const { database } = context.program;
  const known = await database.inSnapshot(context.workspace.id, async (transaction) => {
    if (target !== null) return requireTarget(transaction, context.workspace.id, table, target);
    await requireFreeName(transaction, context.workspace.id, table, document.name);
    return null;
  });
  const problems = createProblems();
  const submitted = submit(document, { replaces: known?.name ?? null, place: null, problems });
  const prepared = await kind.prepare?.(context, [submitted]);
  problems.refuse();
  return inSaving(context, async (saving) => {
    const { transaction, workspaceId } = saving;
    let stored: Stored | undefined;
    if (target !== null && known !== null) {
      // the name that was given may mean another object by now
      const row = await requireTarget(transaction, workspaceId, table, { ...target, reference: known.id });
      [stored] = await kind.read(transaction, workspaceId, [row.name]);
      if (stored === undefined) throw new Error(`The ${kind.kind} ${row.id} is missing.`);
    }
    const saved = await kind.save(saving, submitted, stored, prepared);
    problems.refuse();
    const { warnings, ...named } = saved as Saved;
    const shown = await showObject(transaction, workspaceId, kind, named);
    return { ...shown, warnings: [...new Set([...warnings, ...shown.warnings])] };
  });
}

/** The object that an update means, if it is still as the caller knows it. */
async function requireTarget(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  table: NamedTable,
  { reference, revision }: Target,
): Promise<NamedRow> {
  const { id } = await requireNamed(transaction, workspaceId, table, reference);
  const row = (await readNamed(transaction, workspaceId, table, id)) as NamedRow;
  requireRevision(`${nounWords[table]} "${row.name}"`, row.revision, revision);
  return row;
}

/** Slow work for an object that cannot be created would be in vain, and might use what another one is trusted with. */
async function requireFreeName(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  table: NamedTable,
  name: string,
): Promise<void> {
  const found = await findNamed(transaction, workspaceId, table, [name]);
  if (found.has(name)) throw nameTaken(table, name);
}
