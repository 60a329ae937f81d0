import { validate as isUuid } from 'uuid';
import { type LocatedTable, workspaceOf } from '../../store/workspace.ts';
import { requireRole } from './caller.ts';
import type { OperationContext } from './operation.ts';

/** Goes to the workspace that an id belongs to: names mean the current workspace, ids any that the caller may see. The
 *  role is checked there again. An id that nobody knows, or in a workspace that the caller may not see, stays in the
 *  current one and is found missing there. */
export async function locate(
  context: OperationContext,
  noun: LocatedTable,
  nameOrId: string,
): Promise<OperationContext> {
  if (!isUuid(nameOrId)) return context;
  const workspaceIds = context.visible.map(({ id }) => id);
  const found = await workspaceOf(context.program.database.system, noun, nameOrId, workspaceIds);
  const workspace = context.visible.find(({ id }) => id === found);
  if (workspace === undefined || workspace.id === context.workspace.id) return context;
  requireRole(context.caller, workspace, context.role);
  return { ...context, workspace };
}
