import { AssayError } from '../../core/errors.ts';
import type { Workspace } from '../../store/workspace.ts';

/** The workspace that a name or id means, among those that the caller may see. Throws `not_found`, for one that they may
 *  not see exactly as for one that does not exist. */
export function visibleWorkspace(
  visible: readonly Workspace[],
  reference: string,
  field = 'workspace',
): Workspace {
  const found = visible.find(({ id, name }) => name === reference || id === reference.toLowerCase());
  if (found !== undefined) return found;
  throw noSuchWorkspace(reference, field);
}

export function noSuchWorkspace(reference: string, field = 'workspace'): AssayError {
  return new AssayError('not_found', `There is no workspace "${reference}".`, [
    { field, value: reference, message: 'names no workspace that you may see' },
  ]);
}
