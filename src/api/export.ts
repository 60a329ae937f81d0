import type { ObjectKind } from '../contract/apply.ts';
import { AssayError } from '../core/errors.ts';
import { leaveOutDefaults } from '../files/leave-out-defaults.ts';
import { type WrittenObject, writeObjects } from '../files/write-objects.ts';
import type { ApiContext } from './context.ts';
import { objectKindByName, objectKindsInOrder } from './objects/registry.ts';

/** The objects of the workspace as a file: all, those of one kind, or those of one name. Throws `not_found` where there
 *  is none of that name. */
export async function exportObjects(
  { program, workspace }: ApiContext,
  { kind: wanted, name }: { kind?: ObjectKind | undefined; name?: string | undefined },
): Promise<{ text: string }> {
  const kinds = objectKindsInOrder.filter(({ kind }) => wanted === undefined || kind === wanted);
  const objects = await program.database.inSnapshot(workspace.id, async (transaction) => {
    const found: WrittenObject[] = [];
    for (const kind of kinds) {
      const stored = await kind.read(transaction, workspace.id, name === undefined ? undefined : [name]);
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
