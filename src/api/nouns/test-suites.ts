import { implement } from '@orpc/server';
import { testSuitesContract } from '../../contract/test-suites.ts';
import { readCaseIds } from '../../store/suite-cases.ts';
import type { StoredSuite } from '../../store/test-suite.ts';
import { type Call, guarded } from '../call/operation.ts';
import { archiveObject } from '../objects/archive-object.ts';
import { createObject, replaceObject } from '../objects/change-object.ts';
import { getObject } from '../objects/get-object.ts';
import { listObjects } from '../objects/list-objects.ts';
import { testSuiteKind } from '../objects/test-suite.ts';

const suites = implement(testSuitesContract).$context<Call>().use(guarded);

export const router = suites.router({
  list: suites.list.handler(({ context, input }) =>
    listObjects(context, 'test_suite', input, {
      async items(transaction, workspaceId, rows) {
        const ids = rows.map(({ id }) => id);
        const members = await readCaseIds(transaction, workspaceId, ids);
        return members.map(({ caseIds }) => ({ testCases: caseIds.length }));
      },
    }),
  ),
  get: suites.get.handler(async ({ context, input }) =>
    withCaseIds(await getObject(context, testSuiteKind, input.id)),
  ),
  create: suites.create.handler(async ({ context, input }) =>
    withCaseIds(await createObject(context, testSuiteKind, input)),
  ),
  update: suites.update.handler(async ({ context, input }) =>
    withCaseIds(await replaceObject(context, testSuiteKind, input)),
  ),
  archive: suites.archive.handler(({ context, input }) => archiveObject(context, testSuiteKind, input.id)),
});

function withCaseIds<Shown extends { stored: StoredSuite }>(shown: Shown) {
  return { ...shown, testCaseIds: shown.stored.cases.map(({ id }) => id) };
}
