import { type TestSuiteDocument, testSuiteDocument } from '../../core/documents/test-case.ts';
import { canonicalJson } from '../../core/json.ts';
import { shown } from '../../core/text/shown-text.ts';
import { insertSuite, readSuites, type StoredSuite, updateSuite } from '../../store/test-suite.ts';
import type { ObjectKindOf } from './object-kind.ts';
import type { Saving } from './saving.ts';
import type { Submitted } from './submitted.ts';
import { writeObject } from './write-object.ts';

export const testSuiteKind: ObjectKindOf<TestSuiteDocument, StoredSuite> = {
  kind: 'test-suite',
  table: 'test_suite',
  schema: testSuiteDocument,
  secretFields: [],
  read: readSuites,
  document: ({ name, cases }) => ({ name, testCaseIds: cases.map((each) => each.name) }),

  async save(saving, submitted, stored) {
    const { transaction, workspaceId } = saving;
    const caseIds = await resolvedCases(saving, submitted);
    if (submitted.refused || caseIds.length < submitted.document.testCaseIds.length) return null;
    const suite = { id: stored?.id ?? saving.random.id(), name: submitted.document.name, caseIds };
    return writeObject(saving, 'test-suite', suite, {
      isNew: stored === undefined,
      isChanged: () =>
        stored?.name !== suite.name || canonicalJson(stored.caseIds) !== canonicalJson(caseIds),
      insert: () => insertSuite(transaction, workspaceId, suite),
      update: () => updateSuite(transaction, workspaceId, suite),
    });
  },
};

/** The ids of the cases in order. One that does not exist, or stands there twice by whatever word, is a problem. */
async function resolvedCases(
  { references }: Saving,
  submitted: Submitted<TestSuiteDocument>,
): Promise<string[]> {
  const { testCaseIds } = submitted.document;
  await references.load('test_case', testCaseIds);
  const places = new Map<string, number>();
  for (const [index, reference] of testCaseIds.entries()) {
    const field = `testCaseIds[${index}]`;
    const found = await references.find('test_case', reference, submitted, field);
    if (found === null) continue;
    const before = places.get(found.id);
    if (before !== undefined) {
      submitted.problem(
        field,
        `is the same test case as entry [${before}]: "${shown(found.name)}" (given as "${shown(reference)}")`,
        { value: reference },
      );
    } else places.set(found.id, index);
  }
  return [...places.keys()];
}
