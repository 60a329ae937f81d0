import { implement } from '@orpc/server';
import { workspacesContract } from '../../contract/workspaces.ts';
import type { WorkspaceDocument } from '../../core/documents/workspace.ts';
import { AssayError } from '../../core/errors.ts';
import { firstWorkspaces } from '../../core/first-workspaces.ts';
import { createWorkspace, lockWorkspace, updateWorkspace, type Workspace } from '../../store/workspace.ts';
import { type Caller, requireRole, roleHere } from '../call/caller.ts';
import type { ApiContext } from '../call/context.ts';
import { type Call, guarded, type OperationContext } from '../call/operation.ts';
import { requireRevision } from '../call/revision.ts';
import { visibleWorkspace } from '../call/visible-workspace.ts';
import { archiveWorkspace } from './archive-workspace.ts';
import { listWorkspacePage } from './list-workspaces.ts';
import { noteWorkspace } from './note-workspace.ts';

const workspaces = implement(workspacesContract).$context<Call>().use(guarded);

export const router = workspaces.router({
  list: workspaces.list.handler(async ({ context: { visible, caller }, input }) => {
    const page = await listWorkspacePage(visible, input);
    return { ...page, items: page.items.map((workspace) => shownWorkspace(workspace, caller)) };
  }),
  get: workspaces.get.handler(({ context, input }) => get(context, input.id)),
  create: workspaces.create.handler(({ context, input }) => create(context, input)),
  update: workspaces.update.handler(({ context, input }) => update(context, input)),
  archive: workspaces.archive.handler(({ context, input }) => archiveWorkspace(context, input.id)),
});

function get({ visible, caller, role }: OperationContext, reference: string) {
  const workspace = visibleWorkspace(visible, reference, 'id');
  requireRole(caller, workspace, role);
  return shownWorkspace(workspace, caller);
}

/** Whoever creates a workspace is its admin. */
async function create({ program, principal }: ApiContext, document: WorkspaceDocument) {
  const workspace = { id: program.random.id(), ...document };
  const created = await program.database.inWorkspace(workspace.id, async (transaction) => {
    await createWorkspace(transaction, workspace, { creator: principal, newId: program.random.id });
    await noteWorkspace(transaction, 'create', workspace, { program, principal });
    return lockWorkspace(transaction, workspace.id);
  });
  return { ...withTimes(created), role: 'admin' as const };
}

/** Changes the current workspace. */
async function update(
  context: ApiContext,
  { revision, ...document }: WorkspaceDocument & { revision: number },
) {
  const { program, workspace } = context;
  const changed = await program.database.inWorkspace(workspace.id, async (transaction) => {
    const stored = await lockWorkspace(transaction, workspace.id);
    requireRevision(`workspace "${stored.name}"`, stored.revision, revision);
    if (stored.name === document.name && stored.timeZone === document.timeZone) return stored;
    if (stored.name !== document.name) refuseNewName(stored.name, document.name);
    const next = { ...stored, ...document, revision: stored.revision + 1 };
    await updateWorkspace(transaction, next);
    await noteWorkspace(transaction, 'update', next, context);
    return lockWorkspace(transaction, workspace.id);
  });
  return shownWorkspace(changed, context.caller);
}

function refuseNewName(present: string, wanted: string): void {
  if (!firstWorkspaces.includes(present)) return;
  throw new AssayError(
    'rule_violated',
    `The workspace "${present}" cannot be renamed: the program and its clients know it by this name. Its time zone may change.`,
    [{ field: 'name', value: wanted, message: `must stay "${present}"` }],
  );
}

function shownWorkspace(workspace: Workspace, caller: Caller) {
  return { ...withTimes(workspace), role: roleHere({ caller, workspace }) };
}

function withTimes({ createdAt, updatedAt, ...workspace }: Workspace) {
  return { ...workspace, createdAt: createdAt.toISOString(), updatedAt: updatedAt.toISOString() };
}
