import { nameWarnings } from '../../core/checks/name-warnings.ts';
import { everyCheck, type TestCaseDocument, testCaseDocument } from '../../core/documents/test-case.ts';
import { canonicalJson } from '../../core/json.ts';
import {
  insertCase,
  readCases,
  type StoredCase,
  updateCase,
  type WrittenCase,
} from '../../store/test-case.ts';
import { removeFromSuites } from '../../store/test-suite.ts';
import type { ObjectKindOf } from './object-kind.ts';
import type { Offers } from './offers.ts';
import type { Saving } from './saving.ts';
import type { Submitted } from './submitted.ts';
import { writeObject } from './write-object.ts';

export const testCaseKind: ObjectKindOf<TestCaseDocument, StoredCase> = {
  kind: 'test-case',
  table: 'test_case',
  schema: testCaseDocument,
  secretFields: [],
  read: readCases,

  document: ({ name, agent, environment, pinnedVersion, definition }) => ({
    name,
    agent,
    environment,
    agentVersion: pinnedVersion ?? 'auto',
    ...definition,
  }),

  warnings: (_transaction, _workspaceId, stored, offers) => caseWarnings(offers, stored),

  async detach(transaction, workspaceId, { id }, note) {
    for (const suite of await removeFromSuites(transaction, workspaceId, id))
      note('update', 'test-suite', suite);
  },

  async save(saving, submitted, stored) {
    const { transaction, workspaceId } = saving;
    const testCase = await resolved(saving, submitted, stored?.id);
    if (testCase === null || submitted.refused) return null;
    return writeObject(saving, 'test-case', testCase, {
      isNew: stored === undefined,
      isChanged: () => stored === undefined || comparable(stored) !== comparable(testCase),
      insert: () => insertCase(transaction, workspaceId, testCase),
      update: () => updateCase(transaction, workspaceId, testCase),
    });
  },
};

function comparable({ name, agentId, environmentId, pinnedVersionId, definition }: WrittenCase): string {
  return canonicalJson({ name, agentId, environmentId, pinnedVersionId, definition });
}

async function resolved(
  saving: Saving,
  submitted: Submitted<TestCaseDocument>,
  id = saving.random.id(),
): Promise<WrittenCase | null> {
  const { name, agent, environment, agentVersion, ...definition } = submitted.document;
  const foundAgent = await saving.references.find('agent', agent, submitted, 'agent');
  const foundEnvironment = await saving.references.find('environment', environment, submitted, 'environment');
  if (foundAgent === null || foundEnvironment === null) return null;
  const { provided, versions } = await saving.offers.agent(foundAgent.id);
  const pinned = versions.find((each) => each.name === agentVersion || each.id === agentVersion);
  if (agentVersion !== 'auto' && pinned === undefined) {
    const known = versions.map((each) => `"${each.name}"`).join(', ') || 'none';
    const choice =
      provided === null
        ? `or a version of the agent "${foundAgent.name}", which has ${known}, not "${agentVersion}"`
        : `because the workspace "${provided.provider.workspace}", which provides the agent "${foundAgent.name}", decides which version of it answers`;
    submitted.problem('agentVersion', `must be auto ${choice}`, {
      value: agentVersion,
      ...(provided === null ? {} : { code: 'rule_violated' }),
    });
  }
  return {
    id,
    name,
    agentId: foundAgent.id,
    environmentId: foundEnvironment.id,
    pinnedVersionId: agentVersion === 'auto' ? null : (pinned?.id ?? null),
    definition,
  };
}

/** What its checks name and the version that would answer does not offer. Tools that nobody knows yet are no reason. */
async function caseWarnings(
  offers: Offers,
  testCase: Pick<WrittenCase, 'agentId' | 'environmentId' | 'pinnedVersionId' | 'definition'>,
): Promise<string[]> {
  const answering = await offers.answering(testCase);
  if (answering === null) return [];
  if (typeof answering === 'string') return [answering];
  const { version, skills, tools } = answering;
  return nameWarnings(everyCheck(testCase.definition), { tools: tools ?? [], skills })
    .filter(({ reasonParams }) => tools !== null || !('tool' in reasonParams))
    .map(({ reason }) =>
      reason.replace('The version that answered', `The version "${version}", which answers now,`),
    );
}
