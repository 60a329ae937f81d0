import { AssayError } from '../../core/errors.ts';
import type { WorkspaceTransaction } from '../../store/database.ts';
import { findNamed, type Named, type NamedTable } from '../../store/named.ts';
import type { ApiContext } from '../context.ts';
import type { ObjectKindOf, Saved } from './object-kind.ts';
import { createProblems } from './problems.ts';
import { inSaving, type Saving } from './saving.ts';
import { submit } from './submit.ts';

type KindWithRevision<Document extends { name: string }, Stored extends Named> = ObjectKindOf<
  Document,
  Stored
>;

/** Creates an object of this kind; gives what `answer` makes of it in the same transaction. Throws `conflict` where
 *  another one has its name. */
export function createObject<Document extends { name: string }, Stored extends Named, Result>(
  context: ApiContext,
  kind: KindWithRevision<Document, Stored>,
  document: Document,
  answer: (saving: Saving, saved: Saved) => Promise<Result>,
): Promise<Result> {
  return saveOne(context, kind, document, async () => undefined, answer);
}

/** Replaces the object that an id or name means. Throws `not_found`, and `conflict` where it is not of the revision that
 *  the caller knows. */
export function replaceObject<
  Document extends { name: string },
  Stored extends Named & { revision: number },
  Result,
>(
  context: ApiContext,
  kind: KindWithRevision<Document, Stored>,
  reference: { noun: string; id: string; revision: number | undefined },
  readOne: (saving: Saving, id: string) => Promise<Stored | undefined>,
  document: Document,
  answer: (saving: Saving, saved: Saved) => Promise<Result>,
): Promise<Result> {
  return saveOne(
    context,
    kind,
    document,
    async (saving) => {
      const { transaction, workspaceId } = saving;
      const { id } = await requireNamed(transaction, workspaceId, kind.table, reference.noun, reference.id);
      const stored = await readOne(saving, id);
      if (
        stored !== undefined &&
        reference.revision !== undefined &&
        reference.revision !== stored.revision
      ) {
        throw new AssayError(
          'conflict',
          `The ${reference.noun} "${stored.name}" has been changed since: it is at revision ${stored.revision}, not ${reference.revision}. Read it again, then change it.`,
          [
            {
              field: 'revision',
              value: reference.revision,
              message: `is stale: it is ${stored.revision} now`,
            },
          ],
        );
      }
      return stored;
    },
    answer,
  );
}

function saveOne<Document extends { name: string }, Stored extends Named, Result>(
  context: ApiContext,
  kind: KindWithRevision<Document, Stored>,
  document: Document,
  readStored: (saving: Saving) => Promise<Stored | undefined>,
  answer: (saving: Saving, saved: Saved) => Promise<Result>,
): Promise<Result> {
  const problems = createProblems();
  return inSaving(context, async (saving) => {
    const stored = await readStored(saving);
    const saved = await kind.save(saving, submit(document, null, problems), stored, undefined);
    problems.refuse();
    return answer(saving, saved as Saved);
  });
}

/** The object that an id or name means. Throws `not_found`. */
export async function requireNamed(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  table: NamedTable,
  noun: string,
  reference: string,
): Promise<Named> {
  const found = (await findNamed(transaction, workspaceId, table, [reference])).get(reference);
  if (found !== undefined) return found;
  throw new AssayError('not_found', `There is no ${noun} "${reference}".`, [
    { field: 'id', value: reference, message: `names no ${noun}` },
  ]);
}
