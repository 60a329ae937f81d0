import type { AssayClient } from '../../contract/client.ts';
import { shown } from '../../contract/shown-text.ts';
import type { Run } from '../command.ts';
import { firstItems, noteMore } from '../every-page.ts';
import { UsageError } from '../failure.ts';
import { table } from '../table.ts';

export interface WorkspaceOptions {
  name?: string;
  timeZone?: string;
}

export interface AuditOptions {
  kind?: string;
  object?: string;
  action?: string;
  limit: number;
}

type Workspace = Awaited<ReturnType<AssayClient['workspaces']['create']>>;

export const listWorkspaces: Run<object> = async ({ output, connect }) => {
  const { client } = await connect();
  const page = await client.workspaces.list({});
  output.result(page, () =>
    table(
      ['NAME', 'ROLE', 'TIME ZONE', 'ID'],
      page.items.map(({ name, role, timeZone, id }) => [name, role, timeZone, id]),
    ),
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
  const { items } = await client.workspaces.list({});
  const present = items.find(({ id }) => id === workspace.id) as Workspace;
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
