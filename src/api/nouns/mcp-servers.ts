import { implement } from '@orpc/server';
import { mcpServersContract } from '../../contract/mcp-servers.ts';
import type { WorkspaceTransaction } from '../../store/database.ts';
import { readServerFacts, type StoredServer } from '../../store/mcp-server.ts';
import type { Named } from '../../store/named.ts';
import { locate } from '../call/locate.ts';
import { type Call, guarded, type OperationContext } from '../call/operation.ts';
import { archiveObject } from '../objects/archive-object.ts';
import { createObject, replaceObject } from '../objects/change-object.ts';
import { getObject } from '../objects/get-object.ts';
import { listObjects } from '../objects/list-objects.ts';
import { mcpServerKind } from '../objects/mcp-server.ts';
import { refreshTools, shownTool, testServer } from '../objects/server-tools.ts';
import { setTarget } from '../objects/targets.ts';

const servers = implement(mcpServersContract).$context<Call>().use(guarded);

export const router = servers.router({
  list: servers.list.handler(({ context, input }) =>
    listObjects(context, 'mcp_server', input, { items: factsOf }),
  ),
  get: servers.get.handler(async ({ context, input }) =>
    shown(await getObject(context, mcpServerKind, input.id)),
  ),
  create: servers.create.handler(async ({ context, input }) =>
    shown(await createObject(context, mcpServerKind, input)),
  ),
  update: servers.update.handler(async ({ context, input }) =>
    shown(await replaceObject(context, mcpServerKind, input)),
  ),
  archive: servers.archive.handler(({ context, input }) => archiveObject(context, mcpServerKind, input.id)),
  test: servers.test.handler(async ({ context, input }) => testServer(await at(context, input), input.id)),
  refreshTools: servers.refreshTools.handler(async ({ context, input }) =>
    refreshTools(await at(context, input), input.id),
  ),
  setTarget: servers.setTarget.handler(async ({ context, input }) =>
    setTarget(await at(context, input), input),
  ),
});

function at(context: OperationContext, { id }: { id: string }): Promise<OperationContext> {
  return locate(context, 'mcp_server', id);
}

function shown<Shown extends { stored: Pick<StoredServer, 'tools' | 'toolsAt'> }>(object: Shown) {
  const { tools, toolsAt } = object.stored;
  return { ...object, tools: tools?.map(shownTool) ?? null, toolsAt: toolsAt?.toISOString() ?? null };
}

async function factsOf(transaction: WorkspaceTransaction, workspaceId: string, rows: readonly Named[]) {
  const ids = rows.map(({ id }) => id);
  const facts = new Map(
    (await readServerFacts(transaction, workspaceId, ids)).map((each) => [each.id, each]),
  );
  return rows.map(({ id }) => {
    const found = facts.get(id);
    if (found === undefined) throw new Error(`The MCP server ${id} is missing.`);
    const { transport, tools, toolsAt } = found;
    return { transport, tools, toolsAt: toolsAt?.toISOString() ?? null };
  });
}
