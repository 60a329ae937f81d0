import type { TestSuiteDocument } from '../core/documents/test-case.ts';
import type { WorkspaceTransaction } from '../store/database.ts';
import { listSuites, readSuite } from '../store/test-suite.ts';
import type { ApiContext } from './context.ts';
import { createObject, replaceObject, requireNamed } from './objects/change-object.ts';
import { testSuiteKind } from './objects/test-suite.ts';
import { type PageInput, pageByName } from './page.ts';

const noun = 'test suite';

export function listTestSuites({ program, workspace }: ApiContext, input: PageInput) {
  return program.database.inWorkspace(workspace.id, (transaction) =>
    pageByName(input, (from) => listSuites(transaction, workspace.id, from)),
  );
}

export function getTestSuite({ program, workspace }: ApiContext, { id }: { id: string }) {
  return program.database.inWorkspace(workspace.id, async (transaction) => {
    const named = await requireNamed(transaction, workspace.id, 'test_suite', noun, id);
    return shownSuite(transaction, workspace.id, named.id);
  });
}

export function createTestSuite(context: ApiContext, document: TestSuiteDocument) {
  return createObject(context, testSuiteKind, document, ({ transaction, workspaceId }, { id }) =>
    shownSuite(transaction, workspaceId, id),
  );
}

export function updateTestSuite(
  context: ApiContext,
  { id, revision, ...document }: TestSuiteDocument & { id: string; revision?: number | undefined },
) {
  return replaceObject(
    context,
    testSuiteKind,
    { noun, id, revision },
    ({ transaction, workspaceId }, found) => readSuite(transaction, workspaceId, found),
    document,
    ({ transaction, workspaceId }, saved) => shownSuite(transaction, workspaceId, saved.id),
  );
}

async function shownSuite(transaction: WorkspaceTransaction, workspaceId: string, id: string) {
  const suite = await readSuite(transaction, workspaceId, id);
  if (suite === undefined) throw new Error(`The test suite ${id} is missing.`);
  const { name, revision, cases } = suite;
  return { id, name, testCaseIds: cases.map((each) => each.id), revision };
}
