import { sql } from 'kysely';
import type { WorkspaceTransaction } from './database.ts';
import { touchNamed } from './named.ts';

/** Lists of a definition that name other objects. */
type NamedList = 'prompts' | 'skills' | 'mcpServers';

/** Versions of unarchived agents that name this object in a list. */
async function versionsNaming(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  list: NamedList,
  name: string,
) {
  const rows = await transaction
    .selectFrom('agent_version as v')
    .innerJoin('agent as a', (join) =>
      join.onRef('a.id', '=', 'v.agent_id').onRef('a.workspace_id', '=', 'v.workspace_id'),
    )
    .select(['v.id', 'v.name', 'v.status', 'v.definition', 'a.id as agentId', 'a.name as agent'])
    .where('v.workspace_id', '=', workspaceId)
    .where('a.archived_at', 'is', null)
    // few versions even hold the text of the name
    .where(sql<boolean>`strpos(v.definition::text, ${JSON.stringify(name)}) > 0`)
    .orderBy('a.name')
    .orderBy('v.id')
    .execute();
  return rows.filter(({ definition }) => definition[list].includes(name));
}

/** Drafts that could not become active without this object, as sentences. */
export async function draftsNaming(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  list: NamedList,
  name: string,
): Promise<string[]> {
  const versions = await versionsNaming(transaction, workspaceId, list, name);
  return versions
    .filter(({ status }) => status === 'draft')
    .map((version) => `the draft version "${version.name}" of the agent "${version.agent}" names it`);
}

/** Lets the versions that name an object follow its new name. What an active version was frozen with stays. */
export async function renameInVersions(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  list: NamedList,
  from: string,
  to: string,
): Promise<void> {
  if (from === to) return;
  const versions = await versionsNaming(transaction, workspaceId, list, from);
  for (const { id, definition } of versions) {
    const names = definition[list].map((name) => (name === from ? to : name));
    await transaction
      .updateTable('agent_version')
      .set({ definition: JSON.stringify({ ...definition, [list]: names }) })
      .where('workspace_id', '=', workspaceId)
      .where('id', '=', id)
      .execute();
  }
  // whoever knows an agent with the old name in it must not write that back
  for (const id of new Set(versions.map(({ agentId }) => agentId))) {
    await touchNamed(transaction, workspaceId, 'agent', id);
  }
}
