import { validate as isUuid } from 'uuid';
import { AssayError } from '../../core/errors.ts';
import { freeName } from '../../core/text/free-name.ts';
import { findProvided, insertAgent, noteProviderName, updateAgent } from '../../store/agent.ts';
import { auditEntry, writeAudit } from '../../store/audit.ts';
import type { WorkspaceTransaction } from '../../store/database.ts';
import { lockDefinitions } from '../../store/definition-lock.ts';
import { endGrant, readAgentGrant, type StoredGrant, standingGrant, writeGrant } from '../../store/grant.ts';
import { findNamed, type Named } from '../../store/named.ts';
import { inOtherWorkspace } from '../../store/other-workspace.ts';
import { requireRole } from '../call/caller.ts';
import { changedBy } from '../call/changed-by.ts';
import type { ApiContext } from '../call/context.ts';
import type { OperationContext } from '../call/operation.ts';
import { visibleWorkspace } from '../call/visible-workspace.ts';
import { requireNamed } from '../objects/get-object.ts';
import { refuseProvided } from '../objects/provided-agent.ts';

interface GrantInput {
  agent: string;
  workspace: string;
  usesSecrets: boolean;
}

/** Provides an agent of the workspace to another one. There it is an agent of the same name, or of the next free one; the
 *  one that it was before, where it has been provided there once. Throws `not_found`, `forbidden` where the caller is no
 *  editor there, `rule_violated`, and `conflict` where it is provided there. */
export async function createGrant(context: OperationContext, input: GrantInput): Promise<StoredGrant> {
  const { program, workspace } = context;
  const consumer = requireConsumer(context, input.workspace);
  return program.database.inWorkspace(workspace.id, async (transaction) => {
    await lockSides(transaction, new Set([workspace.id, consumer.id]));
    const agent = await requireNamed(transaction, workspace.id, 'agent', input.agent, 'agent');
    await refuseProvided(transaction, workspace.id, agent, 'agent');
    const provider = { workspaceId: workspace.id, agentId: agent.id };
    if ((await standingGrant(transaction, provider, consumer.id)) !== undefined) {
      throw new AssayError(
        'conflict',
        `The agent "${agent.name}" is provided to the workspace "${consumer.name}" already. To change how, revoke that grant first.`,
        [{ field: 'workspace', value: input.workspace, message: 'is provided with this agent already' }],
      );
    }
    const { id } = await writeGrant(transaction, workspace.id, {
      id: program.random.id(),
      agentId: agent.id,
      consumerId: consumer.id,
      usesSecrets: input.usesSecrets,
    });
    await writeAudit(transaction, workspace.id, [
      auditEntry(changedBy(context), 'grant', 'create', { ...agent, id }),
    ]);
    await inOtherWorkspace(transaction, { own: workspace.id, other: consumer.id }, async () => {
      const received = await receiveAgent(transaction, consumer.id, agent, provider, program.random.id());
      await writeAudit(transaction, consumer.id, [
        auditEntry(changedBy(context), 'agent', 'receive', received),
      ]);
    });
    return (await readAgentGrant(transaction, workspace.id, id)) as StoredGrant;
  });
}

/** Ends a grant. The agent that it made stays for what names it, with the name that this workspace has now, and answers
 *  no more. Throws `not_found`, also to all but one of those who end it at once. */
export async function revokeGrant(context: OperationContext, id: string): Promise<{ id: string }> {
  const { program, workspace } = context;
  return program.database.inWorkspace(workspace.id, async (transaction) => {
    const grant = isUuid(id) ? await readAgentGrant(transaction, workspace.id, id) : undefined;
    if (grant === undefined) throw noGrant(id);
    await lockSides(transaction, new Set([workspace.id, grant.consumerId]));
    const ended = await endStandingGrant(transaction, context, {
      own: workspace.id,
      provider: workspace,
      grant,
    });
    if (!ended) throw noGrant(id);
    return { id: grant.id };
  });
}

/** Ends a grant, in a transaction on either side of it (`own`). False: it does not stand any more. */
export async function endStandingGrant(
  transaction: WorkspaceTransaction,
  context: ApiContext,
  {
    own,
    provider,
    grant: { id, agentId, agent, consumerId },
  }: {
    own: string;
    provider: Named;
    grant: Pick<StoredGrant, 'id' | 'agentId' | 'agent' | 'consumerId'>;
  },
): Promise<boolean> {
  const inside = <Result>(workspaceId: string, work: () => Promise<Result>) =>
    workspaceId === own ? work() : inOtherWorkspace(transaction, { own, other: workspaceId }, work);
  const ended = await inside(provider.id, async () => {
    if (!(await endGrant(transaction, provider.id, id))) return false;
    const revoked = auditEntry(changedBy(context), 'grant', 'revoke', { id, name: agent });
    await writeAudit(transaction, provider.id, [revoked]);
    return true;
  });
  if (!ended) return false;
  await inside(consumerId, async () => {
    const lost = await findProvided(transaction, consumerId, { workspaceId: provider.id, agentId });
    if (lost === undefined) throw new Error(`The agent of the grant ${id} is missing.`);
    await noteProviderName(transaction, consumerId, lost.id, provider.name);
    await writeAudit(transaction, consumerId, [auditEntry(changedBy(context), 'agent', 'lose', lost)]);
  });
  return true;
}

/** The grant with this id. Throws `not_found`. */
export async function getGrant({ program, workspace }: ApiContext, id: string): Promise<StoredGrant> {
  const grant = await program.database.inSnapshot(workspace.id, async (transaction) =>
    isUuid(id) ? await readAgentGrant(transaction, workspace.id, id) : undefined,
  );
  if (grant === undefined) throw noGrant(id);
  return grant;
}

function noGrant(id: string): AssayError {
  return new AssayError('not_found', `There is no grant "${id}".`, [
    { field: 'id', value: id, message: 'names no grant' },
  ]);
}

/** The workspace that an agent is to be provided to. One that the caller may not see is like one that does not exist. */
function requireConsumer({ caller, workspace, visible }: OperationContext, reference: string): Named {
  const consumer = visibleWorkspace(visible, reference);
  if (consumer.id === workspace.id) {
    const message = `is the workspace that the agent is of: "${workspace.name}"`;
    throw new AssayError('rule_violated', `workspace ${message}. Name another one.`, [
      { field: 'workspace', value: reference, message },
    ]);
  }
  requireRole(caller, consumer, 'editor');
  return consumer;
}

/** In the same order by everybody, so that two who provide to each other do not wait for each other. */
export async function lockSides(
  transaction: WorkspaceTransaction,
  workspaceIds: ReadonlySet<string>,
): Promise<void> {
  for (const id of [...workspaceIds].sort()) await lockDefinitions(transaction, id, 'write');
}

async function receiveAgent(
  transaction: WorkspaceTransaction,
  consumerId: string,
  { name }: Named,
  provider: { workspaceId: string; agentId: string },
  newId: string,
): Promise<Named> {
  const before = await findProvided(transaction, consumerId, provider);
  if (before !== undefined) await noteProviderName(transaction, consumerId, before.id, null);
  if (before !== undefined && !before.isArchived) return before;
  const isTaken = async (wanted: string) =>
    (await findNamed(transaction, consumerId, 'agent', [wanted])).has(wanted);
  const agent = { id: before?.id ?? newId, name: await freeName(before?.name ?? name, isTaken) };
  if (before === undefined) await insertAgent(transaction, consumerId, agent, provider);
  else await updateAgent(transaction, consumerId, agent);
  return agent;
}
