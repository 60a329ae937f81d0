import type { ObjectKind } from '../../contract/apply.ts';
import { AssayError } from '../../core/errors.ts';
import { leaveOutDefaults } from '../../files/leave-out-defaults.ts';
import { type WrittenObject, writeObjects } from '../../files/write-objects.ts';
import { findNamed } from '../../store/named.ts';
import { locate } from '../call/locate.ts';
import type { OperationContext } from '../call/operation.ts';
import { objectKindByName, objectKindsInOrder } from '../objects/registry.ts';

/** Objects as a file: all of the workspace, those of one kind, or those that a name means; with a kind also the one that
 *  an id means, wherever it is. Throws `not_found` where there is none of that name. */
export async function exportObjects(
  context: OperationContext,
  { kind: wanted, name }: { kind?: ObjectKind | undefined; name?: string | undefined },
): Promise<{ text: string }> {
  const kinds = objectKindsInOrder.filter(({ kind }) => wanted === undefined || kind === wanted);
  const [only] = kinds;
  const { program, workspace } =
    only !== undefined && wanted !== undefined && name !== undefined
      ? await locate(context, only.table, name)
      : context;
  const objects = await program.database.inSnapshot(workspace.id, async (transaction) => {
    const found: WrittenObject[] = [];
    for (const kind of kinds) {
      const meant =
        name === undefined
          ? undefined
          : [...(await findNamed(transaction, workspace.id, kind.table, [name])).values()];
      const names = meant?.map((each) => each.name);
      const stored = await kind.read(transaction, workspace.id, names);
      for (const each of stored) {
        if (kind.isFiled?.(each) === false) continue;
        const body = leaveOutDefaults(kind.schema, kind.document(each)) as object;
        found.push({ kind: kind.kind, body });
      }
    }
    return found;
  });
  if (name !== undefined && objects.length === 0) {
    const message = `There is no ${wanted ?? 'object'} named "${name}".`;
    throw new AssayError('not_found', message, [{ field: 'name', value: name, message }]);
  }
  return { text: writeObjects(objects, objectKindByName) };
}
