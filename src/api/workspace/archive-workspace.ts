import { AssayError } from '../../core/errors.ts';
import { firstWorkspaces } from '../../core/first-workspaces.ts';
import { grantsOnEitherSide } from '../../store/grant.ts';
import type { Named } from '../../store/named.ts';
import { countOpenRuns } from '../../store/test-run.ts';
import { archiveWorkspaceRow, type Workspace } from '../../store/workspace.ts';
import { requireRole } from '../call/caller.ts';
import type { OperationContext } from '../call/operation.ts';
import { visibleWorkspace } from '../call/visible-workspace.ts';
import { endStandingGrant, lockSides } from '../grants/granting.ts';
import { noteWorkspace } from './note-workspace.ts';

/** Archives the workspace that an id or name means: from now on nobody finds it, so that its members and tokens get no
 *  further, and its name is free. Grants from it and to it end. Throws `not_found`, `forbidden` where the caller is no
 *  admin there, and `rule_violated` for a workspace that every installation has, or while runs are open. */
export async function archiveWorkspace(context: OperationContext, reference: string): Promise<Named> {
  const { program, visible, caller } = context;
  const workspace = visibleWorkspace(visible, reference, 'id');
  requireRole(caller, workspace, 'admin');
  if (firstWorkspaces.includes(workspace.name)) {
    throw refused(workspace, reference, 'every installation has it');
  }
  const { system } = program.database;
  await program.database.inWorkspace(workspace.id, async (transaction) => {
    const known = await grantsOnEitherSide(system, workspace.id);
    const sides = known.flatMap(({ provider, consumerId }) => [provider.id, consumerId]);
    await lockSides(transaction, new Set([workspace.id, ...sides]));
    const grants = await grantsOnEitherSide(system, workspace.id);
    if (grants.some(({ id }) => known.every((each) => each.id !== id))) {
      throw new AssayError('conflict', 'An agent was provided in the meantime. Try again.');
    }
    const open = await countOpenRuns(transaction, workspace.id);
    if (open > 0) {
      const runs = open === 1 ? 'a test run is' : `${open} test runs are`;
      throw refused(workspace, reference, `${runs} not over. Cancel what still runs, or wait for its end`);
    }
    for (const { provider, ...grant } of grants) {
      await endStandingGrant(transaction, context, { own: workspace.id, provider, grant });
    }
    await archiveWorkspaceRow(transaction, workspace.id);
    await noteWorkspace(transaction, 'archive', workspace, context);
  });
  return { id: workspace.id, name: workspace.name };
}

function refused({ name }: Workspace, reference: string, why: string): AssayError {
  return new AssayError('rule_violated', `The workspace "${name}" cannot be archived: ${why}.`, [
    { field: 'id', value: reference, message: why },
  ]);
}
