import type { McpServerDocument } from '../../core/documents/mcp-server.ts';
import { fieldPath } from '../../core/text/invalid-input.ts';
import { listEnvironments } from '../../store/environment.ts';
import type { StoredTarget } from '../../store/mcp-server.ts';
import type { Saving } from './saving.ts';
import type { Submitted } from './submitted.ts';

/** Targets of the document that are not so yet. Those that it does not name stay as they are. */
export async function changedTargets(
  { references, transaction, workspaceId }: Saving,
  submitted: Submitted<McpServerDocument>,
  serverId: string,
  stored: readonly StoredTarget[],
): Promise<StoredTarget[]> {
  const entries = Object.entries(submitted.document.targets);
  if (entries.length === 0) return [];
  const environments = await listEnvironments(transaction, workspaceId);
  const live = new Set(environments.filter((each) => each.live).map(({ id }) => id));
  const wanted = new Map<string, StoredTarget>();
  for (const [name, { mode, endpoint = null }] of entries) {
    const field = fieldPath(['targets', name]);
    const environment = await references.find('environment', name, submitted, field);
    if (environment === null) continue;
    if (mode !== 'real' && live.has(environment.id)) {
      submitted.problem(
        `${field}.mode`,
        `must be real, because "${environment.name}" is a live environment`,
        {
          value: mode,
        },
      );
    }
    if (wanted.has(environment.id)) submitted.problem(field, 'names an environment that stands here twice');
    wanted.set(environment.id, { serverId, environmentId: environment.id, mode, endpoint });
  }
  return [...wanted.values()].filter((target) => {
    const old = stored.find(({ environmentId }) => environmentId === target.environmentId);
    return (old?.mode ?? 'real') !== target.mode || (old?.endpoint ?? null) !== target.endpoint;
  });
}
