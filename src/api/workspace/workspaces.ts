import { implement } from '@orpc/server';
import { workspacesContract } from '../../contract/workspaces.ts';
import type { WorkspaceDocument } from '../../core/documents/workspace.ts';
import { auditEntry, writeAudit } from '../../store/audit.ts';
import type { WorkspaceTransaction } from '../../store/database.ts';
import type { Named } from '../../store/named.ts';
import { createWorkspace, lockWorkspace, updateWorkspace } from '../../store/workspace.ts';
import { roleHere } from '../call/caller.ts';
import { changedBy } from '../call/changed-by.ts';
import type { ApiContext } from '../call/context.ts';
import { type Call, guarded } from '../call/operation.ts';
import { requireRevision } from '../call/revision.ts';

const workspaces = implement(workspacesContract).$context<Call>().use(guarded);

export const router = workspaces.router({
  list: workspaces.list.handler(({ context: { visible, caller } }) => ({
    items: visible.map((workspace) => ({ ...workspace, role: roleHere({ caller, workspace }) })),
    nextCursor: null,
  })),
  create: workspaces.create.handler(({ context, input }) => create(context, input)),
  update: workspaces.update.handler(({ context, input }) => update(context, input)),
});

/** Whoever creates a workspace is its admin. */
async function create({ program, principal }: ApiContext, document: WorkspaceDocument) {
  const workspace = { id: program.random.id(), ...document, revision: 1 };
  await program.database.inWorkspace(workspace.id, async (transaction) => {
    await createWorkspace(transaction, workspace, { creator: principal, newId: program.random.id });
    await note(transaction, 'create', workspace, { program, principal });
  });
  return { ...workspace, role: 'admin' as const };
}

/** Changes the current workspace. */
async function update(
  context: ApiContext,
  { revision, ...document }: WorkspaceDocument & { revision?: number | undefined },
) {
  const { program, workspace } = context;
  const changed = await program.database.inWorkspace(workspace.id, async (transaction) => {
    const stored = await lockWorkspace(transaction, workspace.id);
    requireRevision(`workspace "${stored.name}"`, stored.revision, revision);
    if (stored.name === document.name && stored.timeZone === document.timeZone) return stored;
    const next = { ...stored, ...document, revision: stored.revision + 1 };
    await updateWorkspace(transaction, next);
    await note(transaction, 'update', next, context);
    return next;
  });
  return { ...changed, role: roleHere(context) };
}

function note(
  transaction: WorkspaceTransaction,
  action: 'create' | 'update',
  { id, name }: Named,
  { program, principal }: Pick<ApiContext, 'program' | 'principal'>,
): Promise<void> {
  return writeAudit(transaction, id, [
    auditEntry(changedBy({ program, principal }), 'workspace', action, { id, name }),
  ]);
}
