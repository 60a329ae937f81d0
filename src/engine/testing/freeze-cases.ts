import { validate as isUuid } from 'uuid';
import { AssayError } from '../../core/errors.ts';
import type { FrozenCase, FrozenWork } from '../../core/frozen.ts';
import { readVersion, readVersions } from '../../store/agent-version.ts';
import type { WorkspaceTransaction } from '../../store/database.ts';
import { readDeployments } from '../../store/deployment.ts';
import type { FrozenSubject } from '../../store/frozen-subject.ts';
import { findNamed } from '../../store/named.ts';
import type { StoredCase } from '../../store/test-case.ts';
import { freezeVersion } from '../freezing/freeze-version.ts';
import { chooseVersion, onlyAgent, selectVersion, type VersionTarget } from './select-version.ts';

/** The cases as they are now, each with what answers it. What answers several of them is frozen once. */
export async function freezeCases(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  cases: readonly StoredCase[],
  target: VersionTarget,
): Promise<{ works: FrozenWork[]; subjects: FrozenSubject[]; chosenId: string | null }> {
  const agentIds = [...new Set(cases.map(({ agentId }) => agentId))];
  const deployed = new Map(
    (await readDeployments(transaction, workspaceId, agentIds)).map(
      ({ agentId, environmentId, versionId }) => [`${agentId} ${environmentId}`, versionId],
    ),
  );
  const choice =
    target.target === 'specific'
      ? { chosenId: await chosenVersion(transaction, workspaceId, cases, target.version) }
      : target.target;

  const subjects = new Map<string, FrozenSubject>();
  const known = new Map<string, FrozenWork['subject']>();
  const works: FrozenWork[] = [];
  for (const testCase of cases) {
    const { agentId, environmentId } = testCase;
    const selected = selectVersion(testCase, choice, deployed.get(`${agentId} ${environmentId}`));
    works.push({ case: frozenCase(testCase), subject: await subjectOf(testCase, selected) });
  }
  return {
    works,
    subjects: [...subjects.values()],
    chosenId: typeof choice === 'object' ? choice.chosenId : null,
  };

  async function subjectOf(
    testCase: StoredCase,
    selected: ReturnType<typeof selectVersion>,
  ): Promise<FrozenWork['subject']> {
    if ('unresolved' in selected) return selected;
    const key = `${selected.versionId} ${testCase.environmentId}`;
    const subject = known.get(key) ?? (await freeze(testCase, selected.versionId));
    known.set(key, subject);
    return subject;
  }

  async function freeze(testCase: StoredCase, versionId: string): Promise<FrozenWork['subject']> {
    const agent = { id: testCase.agentId, name: testCase.agent };
    try {
      const subject = await freezeVersion(transaction, workspaceId, agent, versionId, testCase.environmentId);
      subjects.set(subject.contentHash, subject);
      return { contentHash: subject.contentHash };
    } catch (error) {
      // a draft that names something that is gone: its cases cannot be answered, the others can
      if (!(error instanceof AssayError) || error.code !== 'rule_violated') throw error;
      const params = { agent: agent.name, environment: testCase.environment };
      return { unresolved: { code: 'version_incomplete', message: error.message, params } };
    }
  }
}

async function chosenVersion(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  cases: readonly StoredCase[],
  reference: string,
): Promise<string> {
  const agent = onlyAgent(cases);
  const own = await readVersions(transaction, workspaceId, [agent.id]);
  const other = isUuid(reference) ? await readVersion(transaction, workspaceId, reference) : undefined;
  const owners = await findNamed(
    transaction,
    workspaceId,
    'agent',
    other === undefined ? [] : [other.agentId],
  );
  return chooseVersion(reference, agent, own, owners.values().next().value ?? null);
}

function frozenCase(testCase: StoredCase): FrozenCase {
  const { id, name, definition, environmentId, environment, environmentLive } = testCase;
  return {
    id,
    name,
    environment: { id: environmentId, name: environment, live: environmentLive },
    definition,
  };
}
