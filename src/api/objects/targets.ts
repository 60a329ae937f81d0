import type { McpServerDocument, TargetMode } from '../../core/documents/mcp-server.ts';
import { AssayError } from '../../core/errors.ts';
import { fieldPath } from '../../core/text/invalid-input.ts';
import { type Environment, listEnvironments } from '../../store/environment.ts';
import { readTargets, type StoredTarget, writeTarget } from '../../store/mcp-server.ts';
import { touchNamed } from '../../store/named.ts';
import type { OperationContext } from '../call/operation.ts';
import { requireNamed } from './get-object.ts';
import { inSaving, type Saving } from './saving.ts';
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
  const wanted = new Map<string, StoredTarget>();
  for (const [name, { mode, endpoint = null }] of entries) {
    const field = fieldPath(['targets', name]);
    const found = await references.find('environment', name, submitted, field);
    const environment = environments.find(({ id }) => id === found?.id);
    if (environment === undefined) continue;
    const target = { serverId, environmentId: environment.id, mode, endpoint };
    const wrong = problemOf(target, environment);
    if (wrong !== null) {
      submitted.problem(`${field}.${wrong.field}`, wrong.message, {
        value: target[wrong.field],
        code: 'rule_violated',
      });
    }
    if (wanted.has(environment.id)) submitted.problem(field, 'names an environment that stands here twice');
    wanted.set(environment.id, target);
  }
  return [...wanted.values()].filter((target) => !isSo(target, stored));
}

/** Says where the calls of a server go in an environment. Throws `not_found`, and `rule_violated` where they may not go
 *  there. */
export function setTarget(
  context: OperationContext,
  input: { id: string; environment: string; mode: TargetMode; endpoint?: string | undefined },
) {
  return inSaving(context, async ({ transaction, workspaceId, note }) => {
    const server = await requireNamed(transaction, workspaceId, 'mcp_server', input.id);
    const { id: environmentId } = await requireNamed(
      transaction,
      workspaceId,
      'environment',
      input.environment,
      'environment',
    );
    const environments = await listEnvironments(transaction, workspaceId);
    const environment = environments.find(({ id }) => id === environmentId) as Environment;
    const { mode, endpoint = null } = input;
    const target = { serverId: server.id, environmentId, mode, endpoint };
    const wrong = problemOf(target, environment);
    if (wrong !== null) {
      const { field, message } = wrong;
      throw new AssayError('rule_violated', `${field} ${message}.`, [
        { field, value: target[field], message },
      ]);
    }
    const stored = await readTargets(transaction, workspaceId, [server.id]);
    if (!isSo(target, stored)) {
      await writeTarget(transaction, workspaceId, target);
      await touchNamed(transaction, workspaceId, 'mcp_server', server.id);
      note('set-target', 'mcp-server', server);
    }
    return { server: server.name, environment: environment.name, mode, endpoint };
  });
}

function problemOf(
  { mode, endpoint }: Pick<StoredTarget, 'mode' | 'endpoint'>,
  { name, live }: Environment,
): { field: 'mode' | 'endpoint'; message: string } | null {
  if (live && mode !== 'real') {
    return { field: 'mode', message: `must be real, because "${name}" is a live environment` };
  }
  if (mode === 'mock' && endpoint !== null) {
    return { field: 'endpoint', message: 'goes only with real or pass-through: a mock calls no server' };
  }
  return null;
}

/** Where nothing is stored, calls go to the server itself. */
function isSo({ environmentId, mode, endpoint }: StoredTarget, stored: readonly StoredTarget[]): boolean {
  const old = stored.find((each) => each.environmentId === environmentId);
  return (old?.mode ?? 'real') === mode && (old?.endpoint ?? null) === endpoint;
}
