import { validate as isUuid } from 'uuid';
import { requireRole } from './caller.ts';
import type { OperationContext } from './operation.ts';

/** Goes to the workspace that an id belongs to: names mean the current workspace, ids any that the caller may see. The
 *  role is checked there again. An id that nobody knows, or in a workspace that the caller may not see, stays in the
 *  current one and is found missing there. */
export async function locate(
  context: OperationContext,
  noun: 'test_run' | 'test_suite' | 'test_case',
  nameOrId: string,
): Promise<OperationContext> {
  if (!isUuid(nameOrId)) return context;
  const row = await context.program.database.system
    .selectFrom(noun)
    .select('workspace_id')
    .where('id', '=', nameOrId)
    .where(
      'workspace_id',
      'in',
      context.visible.map(({ id }) => id),
    )
    .executeTakeFirst();
  const workspace = context.visible.find(({ id }) => id === row?.workspace_id);
  if (workspace === undefined || workspace.id === context.workspace.id) return context;
  requireRole(context.caller, workspace, context.role);
  return { ...context, workspace };
}
