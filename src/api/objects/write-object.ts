import type { ObjectKind } from '../../contract/apply.ts';
import type { Named } from '../../store/named.ts';
import type { Saved } from './object-kind.ts';
import type { Saving } from './saving.ts';

/** Writes an object where it is new or has changed, and notes it. What stays as it was is not touched. */
export async function writeObject(
  saving: Saving,
  kind: ObjectKind,
  { id, name }: Named,
  how: {
    isNew: boolean;
    /** Asked only of an object that is not new. */
    isChanged(): boolean;
    insert(): Promise<void>;
    update(): Promise<void>;
    warnings?: string[];
  },
): Promise<Saved> {
  const { warnings = [] } = how;
  if (how.isNew) {
    await how.insert();
    saving.note('create', kind, { id, name });
    return { id, name, action: 'created', warnings };
  }
  if (!how.isChanged()) return { id, name, action: 'unchanged', warnings };
  await how.update();
  saving.note('update', kind, { id, name });
  return { id, name, action: 'updated', warnings };
}
