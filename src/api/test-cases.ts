import type { TestCaseDocument } from '../core/documents/test-case.ts';
import type { WorkspaceTransaction } from '../store/database.ts';
import { listCases, readCase, type StoredCase } from '../store/test-case.ts';
import type { ApiContext } from './context.ts';
import { createObject, replaceObject, requireNamed } from './objects/change-object.ts';
import { createOffers, type Offers } from './objects/offers.ts';
import { caseWarnings, testCaseKind } from './objects/test-case.ts';
import { type PageInput, pageByName } from './page.ts';

const noun = 'test case';

export function listTestCases({ program, workspace }: ApiContext, input: PageInput) {
  return program.database.inWorkspace(workspace.id, async (transaction) => {
    const { items, nextCursor } = await pageByName(input, (from) =>
      listCases(transaction, workspace.id, from),
    );
    return { items: items.map(summary), nextCursor };
  });
}

function summary({ id, name, agent, environment, pinnedVersion, revision }: StoredCase) {
  return { id, name, agent, environment, agentVersion: pinnedVersion ?? 'auto', revision };
}

export function getTestCase({ program, workspace }: ApiContext, { id }: { id: string }) {
  return program.database.inWorkspace(workspace.id, async (transaction) => {
    const named = await requireNamed(transaction, workspace.id, 'test_case', noun, id);
    return shownCase(transaction, workspace.id, named.id, createOffers(transaction, workspace.id));
  });
}

export function createTestCase(context: ApiContext, document: TestCaseDocument) {
  return createObject(context, testCaseKind, document, ({ transaction, workspaceId, offers }, { id }) =>
    shownCase(transaction, workspaceId, id, offers),
  );
}

export function updateTestCase(
  context: ApiContext,
  { id, revision, ...document }: TestCaseDocument & { id: string; revision?: number | undefined },
) {
  return replaceObject(
    context,
    testCaseKind,
    { noun, id, revision },
    ({ transaction, workspaceId }, found) => readCase(transaction, workspaceId, found),
    document,
    ({ transaction, workspaceId, offers }, saved) => shownCase(transaction, workspaceId, saved.id, offers),
  );
}

async function shownCase(transaction: WorkspaceTransaction, workspaceId: string, id: string, offers: Offers) {
  const stored = await readCase(transaction, workspaceId, id);
  if (stored === undefined) throw new Error(`The test case ${id} is missing.`);
  const { name, revision } = stored;
  return {
    id,
    name,
    revision,
    document: testCaseKind.document(stored),
    warnings: await caseWarnings(offers, stored),
  };
}
