import { AssayError } from '../../core/errors.ts';
import { noLongerProvided } from '../../engine/freezing/grant-stands.ts';
import { type Provider, readProvidedAgents, type StoredAgent } from '../../store/agent.ts';
import type { WorkspaceTransaction } from '../../store/database.ts';
import { standingGrant } from '../../store/grant.ts';
import type { Named } from '../../store/named.ts';
import { inOtherWorkspace } from '../../store/other-workspace.ts';

/** Who provides the agent; null: it is of this workspace, or is no longer provided. */
export async function standingProvider(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  agentId: string,
): Promise<Provider | null> {
  const [provided] = await readProvidedAgents(transaction, workspaceId, [agentId]);
  if (provided === undefined) return null;
  const { provider } = provided;
  const sides = { own: workspaceId, other: provider.workspaceId };
  const grant = await inOtherWorkspace(transaction, sides, () =>
    standingGrant(transaction, provider, workspaceId),
  );
  return grant === undefined ? null : provider;
}

export async function warningsOfProvided(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  { id, name, provider }: StoredAgent,
): Promise<string[]> {
  if (provider === null || (await standingProvider(transaction, workspaceId, id)) !== null) return [];
  return [noLongerProvided(name, provider.workspace)];
}

export function changedOnlyThere({ name }: Named, { workspace }: Provider): string {
  return `The agent "${name}" is provided by the workspace "${workspace}", and can be changed only there`;
}

/** Throws `rule_violated` where another workspace provides the agent. */
export async function refuseProvided(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  { id, name }: Named,
  field: string,
): Promise<void> {
  const [provided] = await readProvidedAgents(transaction, workspaceId, [id]);
  if (provided === undefined) return;
  const message = changedOnlyThere(provided, provided.provider);
  throw new AssayError('rule_violated', `${message}.`, [{ field, value: name, message }]);
}
