import { AssayError } from '../../core/errors.ts';
import { nounWords } from '../../core/noun-words.ts';
import { archiveNamed, type Named } from '../../store/named.ts';
import { locate } from '../call/locate.ts';
import type { OperationContext } from '../call/operation.ts';
import { requireNamed } from './get-object.ts';
import type { ObjectKindOf } from './object-kind.ts';
import { inSaving } from './saving.ts';

/** How many uses the sentence names; `details` names more. */
const shownUses = 5;

/** Archives the object that an id or name means. Throws `not_found`, and `rule_violated` while something needs it. */
export async function archiveObject<Document extends { name: string }, Stored extends Named, Prepared>(
  context: OperationContext,
  kind: ObjectKindOf<Document, Stored, Prepared>,
  reference: string,
): Promise<Named> {
  const noun = nounWords[kind.table];
  return inSaving(await locate(context, kind.table, reference), async (saving) => {
    const { transaction, workspaceId } = saving;
    const named = await requireNamed(transaction, workspaceId, kind.table, reference);
    const uses = (await kind.uses?.(transaction, workspaceId, named)) ?? [];
    if (uses.length > 0) {
      const rest = uses.length - shownUses;
      throw new AssayError(
        'rule_violated',
        `The ${noun} "${named.name}" cannot be archived: ${uses.slice(0, shownUses).join('; ')}${rest > 0 ? `; and ${rest} more` : ''}.`,
        uses.map((message) => ({ field: 'id', value: reference, message })),
      );
    }
    await kind.detach?.(transaction, workspaceId, named, saving.note);
    await archiveNamed(transaction, workspaceId, kind.table, named.id);
    saving.note('archive', kind.kind, named);
    return named;
  });
}
