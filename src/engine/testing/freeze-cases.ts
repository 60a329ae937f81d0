import { validate as isUuid } from 'uuid';
import { AssayError } from '../../core/errors.ts';
import type { FrozenCase, FrozenWork, Unresolved } from '../../core/frozen.ts';
import { type ProvidedAgent, readProvidedAgents } from '../../store/agent.ts';
import { readVersion, readVersions } from '../../store/agent-version.ts';
import type { WorkspaceTransaction } from '../../store/database.ts';
import { readDeployments } from '../../store/deployment.ts';
import type { FrozenSubject } from '../../store/frozen-subject.ts';
import { findNamed } from '../../store/named.ts';
import type { StoredCase } from '../../store/test-case.ts';
import { freezeProvided } from '../freezing/freeze-provided.ts';
import { freezeVersion } from '../freezing/freeze-version.ts';
import {
  chooseVersion,
  onlyAgent,
  refuseChoiceElsewhere,
  selectVersion,
  type VersionTarget,
} from './select-version.ts';

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
  const provided = new Map(
    (await readProvidedAgents(transaction, workspaceId, agentIds)).map((agent) => [agent.id, agent]),
  );
  const choice =
    target.target === 'specific'
      ? { chosenId: await chosenVersion(transaction, workspaceId, cases, target.version, provided) }
      : target.target;

  const subjects = new Map<string, FrozenSubject>();
  const known = new Map<string, FrozenWork['subject']>();
  const works: FrozenWork[] = [];
  for (const testCase of cases) {
    const agent = provided.get(testCase.agentId);
    const subject = agent === undefined ? await ownSubject(testCase) : await subjectOf(testCase, agent);
    works.push({ case: frozenCase(testCase), subject });
  }
  return {
    works,
    subjects: [...subjects.values()],
    chosenId: typeof choice === 'object' ? choice.chosenId : null,
  };

  async function ownSubject(testCase: StoredCase): Promise<FrozenWork['subject']> {
    const deployedId = deployed.get(`${testCase.agentId} ${testCase.environmentId}`);
    const selected = selectVersion(testCase, choice, deployedId);
    return 'unresolved' in selected ? selected : subjectOf(testCase, selected.versionId);
  }

  async function subjectOf(
    testCase: StoredCase,
    answering: string | ProvidedAgent,
  ): Promise<FrozenWork['subject']> {
    const id = typeof answering === 'string' ? answering : answering.id;
    const key = `${id} ${testCase.environmentId}`;
    const subject = known.get(key) ?? keep(await freeze(testCase, answering));
    known.set(key, subject);
    return subject;
  }

  function keep(frozen: FrozenSubject | Unresolved): FrozenWork['subject'] {
    if ('unresolved' in frozen) return frozen;
    subjects.set(frozen.contentHash, frozen);
    return { contentHash: frozen.contentHash };
  }

  async function freeze(
    { agentId, agent, environmentId, environment }: StoredCase,
    answering: string | ProvidedAgent,
  ): Promise<FrozenSubject | Unresolved> {
    if (typeof answering !== 'string') {
      return freezeProvided(transaction, workspaceId, answering, { id: environmentId, name: environment });
    }
    try {
      const named = { id: agentId, name: agent };
      return await freezeVersion(transaction, workspaceId, named, answering, environmentId);
    } catch (error) {
      // a draft that names something that is gone: its cases cannot be answered, the others can
      if (!(error instanceof AssayError) || error.code !== 'rule_violated') throw error;
      return {
        unresolved: { code: 'version_incomplete', message: error.message, params: { agent, environment } },
      };
    }
  }
}

async function chosenVersion(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  cases: readonly StoredCase[],
  reference: string,
  provided: ReadonlyMap<string, ProvidedAgent>,
): Promise<string> {
  const agent = onlyAgent(cases);
  const elsewhere = provided.get(agent.id);
  if (elsewhere !== undefined) refuseChoiceElsewhere(elsewhere);
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
