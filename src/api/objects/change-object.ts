import { AssayError } from '../../core/errors.ts';
import type { Named } from '../../store/named.ts';
import { readNamed } from '../../store/named.ts';
import type { ApiContext } from '../context.ts';
import { locate } from '../locate.ts';
import type { OperationContext } from '../operation.ts';
import { requireNamed } from './get-object.ts';
import type { ObjectKindOf, Saved } from './object-kind.ts';
import { createProblems } from './problems.ts';
import { nounOf } from './references.ts';
import { inSaving, type Saving } from './saving.ts';
import { type ShownObject, showObject } from './shown-object.ts';
import { submit } from './submit.ts';

/** Creates an object of this kind. Throws `conflict` where another one has its name. */
export function createObject<Document extends { name: string }, Stored extends Named, Prepared>(
  context: ApiContext,
  kind: ObjectKindOf<Document, Stored, Prepared>,
  document: Document,
): Promise<ShownObject<Document> & { stored: Stored }> {
  return saveOne(context, kind, document, async () => undefined);
}

/** Replaces the object that an id or name means. Throws `not_found`, and `conflict` where it is not of the revision that
 *  the caller knows. */
export async function replaceObject<Document extends { name: string }, Stored extends Named, Prepared>(
  context: OperationContext,
  kind: ObjectKindOf<Document, Stored, Prepared>,
  { id: reference, revision, ...document }: Document & { id: string; revision?: number | undefined },
): Promise<ShownObject<Document> & { stored: Stored }> {
  const located = await locate(context, kind.table, reference);
  return saveOne(located, kind, document as unknown as Document, async ({ transaction, workspaceId }) => {
    const { id } = await requireNamed(transaction, workspaceId, kind.table, reference);
    const row = await readNamed(transaction, workspaceId, kind.table, id);
    if (row === undefined) throw new Error(`The ${kind.kind} ${id} is missing.`);
    if (revision !== undefined && revision !== row.revision) {
      throw new AssayError(
        'conflict',
        `The ${nounOf[kind.table]} "${row.name}" has been changed since: it is at revision ${row.revision}, not ${revision}. Read it again, then change it.`,
        [{ field: 'revision', value: revision, message: `is stale: it is ${row.revision} now` }],
      );
    }
    return (await kind.read(transaction, workspaceId, [row.name]))[0];
  });
}

async function saveOne<Document extends { name: string }, Stored extends Named, Prepared>(
  context: ApiContext,
  kind: ObjectKindOf<Document, Stored, Prepared>,
  document: Document,
  readStored: (saving: Saving) => Promise<Stored | undefined>,
): Promise<ShownObject<Document> & { stored: Stored }> {
  const problems = createProblems();
  const submitted = submit(document, null, problems);
  const prepared = await kind.prepare?.(context, [submitted]);
  problems.refuse();
  return inSaving(context, async (saving) => {
    const stored = await readStored(saving);
    const saved = await kind.save(saving, submitted, stored, prepared);
    problems.refuse();
    const { warnings, ...named } = saved as Saved;
    const shown = await showObject(saving.transaction, saving.workspaceId, kind, named);
    return { ...shown, warnings: [...new Set([...warnings, ...shown.warnings])] };
  });
}
