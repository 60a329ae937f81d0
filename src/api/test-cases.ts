import { implement } from '@orpc/server';
import { testCasesContract } from '../contract/test-cases.ts';
import { readCases } from '../store/test-case.ts';
import { archiveObject } from './objects/archive-object.ts';
import { createObject, replaceObject } from './objects/change-object.ts';
import { getObject } from './objects/get-object.ts';
import { listObjects } from './objects/list-objects.ts';
import { testCaseKind } from './objects/test-case.ts';
import { type Call, guarded } from './operation.ts';

const cases = implement(testCasesContract).$context<Call>().use(guarded);

export const router = cases.router({
  list: cases.list.handler(({ context, input }) =>
    listObjects(context, 'test_case', input, {
      async items(transaction, workspaceId, rows) {
        const names = rows.map(({ name }) => name);
        const stored = new Map(
          (await readCases(transaction, workspaceId, names)).map((each) => [each.id, each]),
        );
        return rows.map(({ id }) => {
          const { agent = '', environment = '', pinnedVersion } = stored.get(id) ?? {};
          return { agent, environment, agentVersion: pinnedVersion ?? 'auto' };
        });
      },
    }),
  ),
  get: cases.get.handler(({ context, input }) => getObject(context, testCaseKind, input.id)),
  create: cases.create.handler(({ context, input }) => createObject(context, testCaseKind, input)),
  update: cases.update.handler(({ context, input }) => replaceObject(context, testCaseKind, input)),
  archive: cases.archive.handler(({ context, input }) => archiveObject(context, testCaseKind, input.id)),
});
