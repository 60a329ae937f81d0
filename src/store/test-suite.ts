import { sql } from 'kysely';
import type { WorkspaceTransaction } from './database.ts';
import { findNamed, type Named, writeName } from './named.ts';
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

export async function readSuite(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  id: string,
): Promise<StoredSuite | undefined> {
  const row = await suites(transaction, workspaceId).where('s.id', '=', id).executeTakeFirst();
  return row && (await withCases(transaction, workspaceId, [row]))[0];
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

/** A page of the unarchived suites by name, with the number of their cases. */
export function listSuites(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  { after, limit }: { after: string | undefined; limit: number },
): Promise<{ id: string; name: string; testCases: number }[]> {
  return suites(transaction, workspaceId)
    .select(({ selectFrom }) =>
      selectFrom('test_suite_case as t')
        .whereRef('t.workspace_id', '=', 's.workspace_id')
        .whereRef('t.suite_id', '=', 's.id')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .$asScalar()
        .$notNull()
        .as('testCases'),
    )
    .$if(after !== undefined, (query) => query.where('s.name', '>', after as string))
    .limit(limit)
    .execute();
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
  await writeName('test suite', suite.name, insert.execute());
  await replaceCaseIds(transaction, workspaceId, suite.id, suite.caseIds);
}

export async function updateSuite(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  suite: WrittenSuite,
): Promise<void> {
  const update = transaction
    .updateTable('test_suite')
    .set({ name: suite.name, revision: sql`revision + 1`, updated_at: sql`now()` })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', suite.id);
  await writeName('test suite', suite.name, update.execute());
  await replaceCaseIds(transaction, workspaceId, suite.id, suite.caseIds);
}
