import type { AgentDocument } from '../../core/documents/agent.ts';
import { fieldPath } from '../../core/text/invalid-input.ts';
import type { Deployment } from '../../store/deployment.ts';
import type { Named } from '../../store/named.ts';
import type { ChangedVersions } from './agent-versions.ts';
import type { Saving } from './saving.ts';
import type { Submitted } from './submitted.ts';

/** Deployments of the document that are not so yet. Only an active version is deployed: a draft is tested by choosing it. */
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
    const version = versions.find(({ id, name }) => name === reference || id === reference);
    if (version === undefined) {
      const known = versions.map(({ name }) => `"${name}"`).join(', ') || 'none';
      submitted.problem(field, `there is no version "${reference}" of this agent; it has ${known}`, {
        value: reference,
      });
    } else if (version.status === 'draft') {
      submitted.problem(
        field,
        `the version "${version.name}" is a draft, and only an active version is deployed. Make it active, or test the draft by choosing it for a run`,
        { value: reference, code: 'rule_violated' },
      );
    } else if (environment !== null) {
      if (wanted.has(environment.id)) submitted.problem(field, 'names an environment that stands here twice');
      wanted.set(environment.id, { agentId: agent.id, environmentId: environment.id, versionId: version.id });
    }
  }
  return [...wanted.values()].filter(
    ({ environmentId, versionId }) =>
      stored.find((each) => each.environmentId === environmentId)?.versionId !== versionId,
  );
}
