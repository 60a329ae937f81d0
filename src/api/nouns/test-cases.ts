import { implement } from '@orpc/server';
import { testCasesContract } from '../../contract/test-cases.ts';
import type { WorkspaceTransaction } from '../../store/database.ts';
import { type CaseFilter, findCaseIds, readCases } from '../../store/test-case.ts';
import { type Call, guarded } from '../call/operation.ts';
import { archiveObject } from '../objects/archive-object.ts';
import { createObject, replaceObject } from '../objects/change-object.ts';
import { getObject, requireNamed } from '../objects/get-object.ts';
import { fromStored, listObjects } from '../objects/list-objects.ts';
import { testCaseKind } from '../objects/test-case.ts';

const cases = implement(testCasesContract).$context<Call>().use(guarded);

export const router = cases.router({
  list: cases.list.handler(({ context, input }) =>
    listObjects(context, 'test_case', input, {
      narrow: (transaction, workspaceId) => narrowed(transaction, workspaceId, input),
      items: fromStored(readCases, ({ agent, environment, pinnedVersion }) => ({
        agent,
        environment,
        agentVersion: pinnedVersion ?? 'auto',
      })),
    }),
  ),
  get: cases.get.handler(({ context, input }) => getObject(context, testCaseKind, input.id)),
  create: cases.create.handler(({ context, input }) => createObject(context, testCaseKind, input)),
  update: cases.update.handler(({ context, input }) => replaceObject(context, testCaseKind, input)),
  archive: cases.archive.handler(({ context, input }) => archiveObject(context, testCaseKind, input.id)),
});

const filterTables = { agent: 'agent', environment: 'environment', testSuite: 'test_suite' } as const;

/** The cases that the filters let through; undefined: there is no filter. Throws `not_found` where one names nothing. */
async function narrowed(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  input: { [Field in keyof typeof filterTables]?: string | undefined },
): Promise<string[] | undefined> {
  const filter: CaseFilter = {};
  for (const field of ['agent', 'environment', 'testSuite'] as const) {
    const reference = input[field];
    if (reference === undefined) continue;
    const found = await requireNamed(transaction, workspaceId, filterTables[field], reference, field);
    filter[`${field}Id`] = found.id;
  }
  return Object.keys(filter).length === 0 ? undefined : findCaseIds(transaction, workspaceId, filter);
}
