import { sql } from 'kysely';
import type { WorkspaceTransaction } from './database.ts';
import { changedNow, findNamed, type Named, writeName } from './named.ts';
import { readCaseIds, replaceCaseIds } from './suite-cases.ts';

export interface StoredSuite {
  id: string;
  name: string;
  revision: number;
  /** The unarchived ones, in order. */
  cases: Named[];
  /** All of them, in order. */
  caseIds: string[];
}

function suites(transaction: WorkspaceTransaction, workspaceId: string) {
  return transaction
    .selectFrom('test_suite as s')
    .select(['s.id', 's.name', 's.revision'])
    .where('s.workspace_id', '=', workspaceId)
    .where('s.archived_at', 'is', null)
    .orderBy('s.name');
}

/** The unarchived test suites of the workspace, or those of these names, by name. */
export async function readSuites(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  names?: readonly string[],
): Promise<StoredSuite[]> {
  const rows = await suites(transaction, workspaceId)
    .$if(names !== undefined, (query) => query.where('s.name', '=', sql<string>`any(${names})`))
    .execute();
  return withCases(transaction, workspaceId, rows);
}

async function withCases(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  rows: Omit<StoredSuite, 'cases' | 'caseIds'>[],
): Promise<StoredSuite[]> {
  const suiteIds = rows.map(({ id }) => id);
  const members = await readCaseIds(transaction, workspaceId, suiteIds);
  const all = [...new Set(members.flatMap((each) => each.caseIds))];
  const cases = await findNamed(transaction, workspaceId, 'test_case', all);
  return rows.map((row, index) => {
    const ids = members[index]?.caseIds ?? [];
    const unarchived = ids.map((id) => cases.get(id)).filter((each) => each !== undefined);
    return { ...row, cases: unarchived, caseIds: ids };
  });
}

export interface WrittenSuite extends Named {
  caseIds: readonly string[];
}

export async function insertSuite(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  suite: WrittenSuite,
): Promise<void> {
  const insert = transaction
    .insertInto('test_suite')
    .values({ workspace_id: workspaceId, id: suite.id, name: suite.name });
  await writeName('test_suite', suite.name, insert.execute());
  await replaceCaseIds(transaction, workspaceId, suite.id, suite.caseIds);
}

export async function updateSuite(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  suite: WrittenSuite,
): Promise<void> {
  const update = transaction
    .updateTable('test_suite')
    .set({ name: suite.name, ...changedNow })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', suite.id);
  await writeName('test_suite', suite.name, update.execute());
  await replaceCaseIds(transaction, workspaceId, suite.id, suite.caseIds);
}

/** Takes a case out of every unarchived suite that it is in; gives those. */
export async function removeFromSuites(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  caseId: string,
): Promise<Named[]> {
  const changed = await transaction
    .updateTable('test_suite')
    .set(changedNow)
    .where('workspace_id', '=', workspaceId)
    .where('archived_at', 'is', null)
    .where('id', 'in', ({ selectFrom }) =>
      selectFrom('test_suite_case')
        .select('suite_id')
        .where('workspace_id', '=', workspaceId)
        .where('case_id', '=', caseId),
    )
    .returning(['id', 'name'])
    .execute();
  const suiteIds = changed.map(({ id }) => id);
  for (const { suiteId, caseIds } of await readCaseIds(transaction, workspaceId, suiteIds)) {
    const others = caseIds.filter((id) => id !== caseId);
    await replaceCaseIds(transaction, workspaceId, suiteId, others);
  }
  return changed;
}
