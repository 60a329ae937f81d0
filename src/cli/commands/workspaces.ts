import type { AssayClient } from '../../contract/client.ts';
import type { NounOrder } from '../../contract/noun.ts';
import { shown } from '../../contract/shown-text.ts';
import type { Run } from '../command.ts';
import { firstItems, noteMore } from '../every-page.ts';
import { UsageError } from '../failure.ts';
import { table } from '../table.ts';

export interface WorkspaceOptions {
  name?: string;
  timeZone?: string;
}

export interface WorkspaceListOptions {
  search?: string;
  sort?: NounOrder;
  limit?: number;
}

export interface AuditOptions {
  kind?: string;
  object?: string;
  action?: string;
  limit: number;
}

type Workspace = Awaited<ReturnType<AssayClient['workspaces']['create']>>;

export const listWorkspaces: Run<WorkspaceListOptions> = async ({ output, connect }, _args, options) => {
  const { search, sort, limit = Number.POSITIVE_INFINITY } = options;
  const narrowed = { ...(search === undefined ? {} : { search }), ...(sort === undefined ? {} : { sort }) };
  const { client } = await connect();
  const page = await firstItems((place) => client.workspaces.list({ ...narrowed, ...place }), limit);
  output.result(page, () =>
    table(
      ['NAME', 'ROLE', 'TIME ZONE', 'ID'],
      page.items.map(({ name, role, timeZone, id }) => [name, role, timeZone, id]),
    ),
  );
  noteMore(output, page, limit);
  return 0;
};

export const getWorkspace: Run<object> = async ({ output, connect }, [id = '']) => {
  const { client } = await connect();
  const workspace = await client.workspaces.get({ id });
  output.result(workspace, () =>
    [
      `Workspace "${shown(workspace.name)}" (${workspace.id})`,
      `Time zone: ${shown(workspace.timeZone)}`,
      `Your role: ${workspace.role}`,
      `Revision: ${workspace.revision}, of ${workspace.updatedAt}`,
    ].join('\n'),
  );
  return 0;
};

export const archiveWorkspace: Run<object> = async ({ output, connect }, [id = '']) => {
  const { client } = await connect();
  const archived = await client.workspaces.archive({ id });
  output.result(archived, () => `Archived workspace "${shown(archived.name)}" (${archived.id}).`);
  return 0;
};

export const whoAmI: Run<object> = async ({ output, connect }) => {
  const { client } = await connect();
  const me = await client.me({});
  output.result(
    me,
    () =>
      `${shown(me.principal.name)} (${me.principal.kind}), ${me.role} in the workspace "${shown(me.workspace.name)}" (${me.workspace.id}).`,
  );
  return 0;
};

export const createWorkspace: Run<WorkspaceOptions> = async (
  { output, connect },
  [name = ''],
  { timeZone },
) => {
  const { client } = await connect();
  const created = await client.workspaces.create({ name, ...(timeZone === undefined ? {} : { timeZone }) });
  output.result(created, () => sentence('Created', created));
  return 0;
};

export const updateWorkspace: Run<WorkspaceOptions> = async ({ output, connect }, _args, options) => {
  const { name, timeZone } = options;
  if (name === undefined && timeZone === undefined) {
    throw new UsageError('Say what to change, with --name or --time-zone.');
  }
  const { client } = await connect();
  const { workspace } = await client.me({});
  const present = await client.workspaces.get({ id: workspace.id });
  const updated = await client.workspaces.update({
    name: name ?? present.name,
    timeZone: timeZone ?? present.timeZone,
    revision: present.revision,
  });
  output.result(updated, () => sentence('Updated', updated));
  return 0;
};

function sentence(done: string, { name, id, timeZone }: Workspace): string {
  return `${done} workspace "${shown(name)}" (${id}), time zone ${shown(timeZone)}.`;
}

export const listAudit: Run<AuditOptions> = async ({ output, connect }, _args, options) => {
  const { kind, object, action, limit } = options;
  const { client } = await connect();
  const filter = {
    ...(kind === undefined ? {} : { objectKind: kind }),
    ...(object === undefined ? {} : { objectId: object }),
    ...(action === undefined ? {} : { action }),
  };
  const page = await firstItems((place) => client.auditLog({ ...filter, ...place }), limit);
  output.result(page, () =>
    table(
      ['AT', 'WHO', 'ACTION', 'OBJECT', 'ID'],
      page.items.map(({ at, principal, action: what, objectName, objectId }) => [
        at,
        principal,
        what,
        objectName ?? '',
        objectId ?? '',
      ]),
    ),
  );
  noteMore(output, page, limit);
  return 0;
};
