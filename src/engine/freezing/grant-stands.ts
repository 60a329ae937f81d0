import type { Kysely } from 'kysely';
import { ExecutionFailure } from '../../core/errors.ts';
import type { FrozenAgent } from '../../core/frozen.ts';
import { standingGrant } from '../../store/grant.ts';
import type { Schema } from '../../store/schema.ts';

export function noLongerProvided(agent: string, workspace: string): string {
  return `The agent "${agent}" is no longer provided by the workspace "${workspace}".`;
}

/** Throws ExecutionFailure('agent', 'no_longer_provided') where an agent was frozen by a grant that does not stand any
 *  more, or leaves the secrets out by now. `db` sees every workspace. */
export async function requireGrant(
  db: Kysely<Schema>,
  workspaceId: string,
  { agent, provider }: FrozenAgent,
): Promise<void> {
  if (provider === undefined) return;
  const grant = await standingGrant(db, provider, workspaceId);
  if (grant !== undefined && (grant.usesSecrets || !provider.usesSecrets)) return;
  const message =
    grant === undefined
      ? noLongerProvided(agent.name, provider.workspace)
      : `The agent "${agent.name}" is provided by the workspace "${provider.workspace}" without its secrets by now. Start the run again.`;
  throw new ExecutionFailure('agent', 'no_longer_provided', message);
}
