import type { AgentDocument } from '../../core/documents/agent.ts';
import { AssayError } from '../../core/errors.ts';
import { fieldPath } from '../../core/text/invalid-input.ts';
import { readVersionNames, type VersionName } from '../../store/agent-version.ts';
import { type Deployment, deploy, readDeployments } from '../../store/deployment.ts';
import { type Named, touchNamed } from '../../store/named.ts';
import type { OperationContext } from '../call/operation.ts';
import type { ChangedVersions } from './agent-versions.ts';
import { requireNamed } from './get-object.ts';
import { refuseProvided } from './provided-agent.ts';
import { inSaving, type Saving } from './saving.ts';
import type { Submitted } from './submitted.ts';

/** Deployments of the document that are not so yet. */
export async function changedDeployments(
  { references }: Saving,
  submitted: Submitted<AgentDocument>,
  agent: Named,
  versions: ChangedVersions['all'],
  stored: readonly Deployment[],
): Promise<Deployment[]> {
  const wanted = new Map<string, Deployment>();
  for (const [place, reference] of Object.entries(submitted.document.deployments)) {
    const field = fieldPath(['deployments', place]);
    const environment = await references.find('environment', place, submitted, field);
    const found = deployable(reference, versions);
    if ('problem' in found) {
      const { problem, isDraft } = found;
      submitted.problem(field, problem, { value: reference, ...(isDraft ? { code: 'rule_violated' } : {}) });
    } else if (environment !== null) {
      if (wanted.has(environment.id)) submitted.problem(field, 'names an environment that stands here twice');
      wanted.set(environment.id, {
        agentId: agent.id,
        environmentId: environment.id,
        versionId: found.version.id,
      });
    }
  }
  return [...wanted.values()].filter(
    ({ environmentId, versionId }) =>
      stored.find((each) => each.environmentId === environmentId)?.versionId !== versionId,
  );
}

/** Lets a version of an agent answer in an environment. Throws `not_found`, and `rule_violated` where it is no active
 *  version of that agent. */
export function deployVersion(
  context: OperationContext,
  input: { id: string; environment: string; version: string },
): Promise<{ agent: string; environment: string; version: string }> {
  return inSaving(context, async ({ transaction, workspaceId, note }) => {
    const agent = await requireNamed(transaction, workspaceId, 'agent', input.id);
    await refuseProvided(transaction, workspaceId, agent, 'id');
    const environment = await requireNamed(
      transaction,
      workspaceId,
      'environment',
      input.environment,
      'environment',
    );
    const versions = await readVersionNames(transaction, workspaceId, [agent.id]);
    const found = deployable(input.version, versions);
    if ('problem' in found) {
      throw new AssayError('rule_violated', `Nothing was deployed: ${found.problem}.`, [
        { field: 'version', value: input.version, message: found.problem },
      ]);
    }
    const { version } = found;
    const before = await readDeployments(transaction, workspaceId, [agent.id]);
    const deployed = before.find(({ environmentId }) => environmentId === environment.id);
    if (deployed?.versionId !== version.id) {
      const deployment = { agentId: agent.id, environmentId: environment.id, versionId: version.id };
      await deploy(transaction, workspaceId, deployment);
      await touchNamed(transaction, workspaceId, 'agent', agent.id);
      note('deploy', 'agent', agent);
    }
    return { agent: agent.name, environment: environment.name, version: version.name };
  });
}

type Version = Pick<VersionName, 'id' | 'name' | 'status'>;

/** Only an active version is deployed: a draft is tested by choosing it. */
function deployable(
  reference: string,
  versions: readonly Version[],
): { version: Version } | { problem: string; isDraft: boolean } {
  const version = versions.find(({ id, name }) => name === reference || id === reference);
  if (version === undefined) {
    const known = versions.map(({ name }) => `"${name}"`).join(', ') || 'none';
    return { problem: `there is no version "${reference}" of this agent; it has ${known}`, isDraft: false };
  }
  if (version.status === 'active') return { version };
  return {
    problem: `the version "${version.name}" is a draft, and only an active version is deployed. Make it active, or test the draft by choosing it for a run`,
    isDraft: true,
  };
}
