import { sql } from 'kysely';
import type { TestCaseDefinition } from '../core/test-case.ts';
import type { WorkspaceTransaction } from './database.ts';
import { writeName } from './named.ts';

export interface StoredCase {
  id: string;
  name: string;
  revision: number;
  agentId: string;
  agent: string;
  environmentId: string;
  environment: string;
  environmentLive: boolean;
  /** null: the deployed version answers. */
  pinnedVersionId: string | null;
  pinnedVersion: string | null;
  definition: TestCaseDefinition;
}

function cases(transaction: WorkspaceTransaction, workspaceId: string) {
  return transaction
    .selectFrom('test_case as c')
    .innerJoin('agent as a', (join) =>
      join.onRef('a.workspace_id', '=', 'c.workspace_id').onRef('a.id', '=', 'c.agent_id'),
    )
    .innerJoin('environment as e', (join) =>
      join.onRef('e.workspace_id', '=', 'c.workspace_id').onRef('e.id', '=', 'c.environment_id'),
    )
    .leftJoin('agent_version as v', (join) =>
      join.onRef('v.workspace_id', '=', 'c.workspace_id').onRef('v.id', '=', 'c.pinned_version_id'),
    )
    .select([
      'c.id',
      'c.name',
      'c.revision',
      'a.id as agentId',
      'a.name as agent',
      'e.id as environmentId',
      'e.name as environment',
      'e.live as environmentLive',
      'c.pinned_version_id as pinnedVersionId',
      'v.name as pinnedVersion',
      'c.definition',
    ])
    .where('c.workspace_id', '=', workspaceId)
    .where('c.archived_at', 'is', null);
}

/** The unarchived test cases of the workspace, or those of these names, by name. */
export function readCases(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  names?: readonly string[],
): Promise<StoredCase[]> {
  return cases(transaction, workspaceId)
    .$if(names !== undefined, (query) => query.where('c.name', '=', sql<string>`any(${names})`))
    .orderBy('c.name')
    .execute();
}

export function listCases(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  { after, limit }: { after: string | undefined; limit: number },
): Promise<StoredCase[]> {
  return cases(transaction, workspaceId)
    .$if(after !== undefined, (query) => query.where('c.name', '>', after as string))
    .orderBy('c.name')
    .limit(limit)
    .execute();
}

export function readCase(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  id: string,
): Promise<StoredCase | undefined> {
  return cases(transaction, workspaceId).where('c.id', '=', id).executeTakeFirst();
}

/** The unarchived cases of a suite in its order. */
export function readCasesOfSuite(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  suiteId: string,
): Promise<StoredCase[]> {
  return cases(transaction, workspaceId)
    .innerJoin('test_suite_case as s', (join) =>
      join.onRef('s.workspace_id', '=', 'c.workspace_id').onRef('s.case_id', '=', 'c.id'),
    )
    .where('s.suite_id', '=', suiteId)
    .orderBy('s.position')
    .execute();
}

export type WrittenCase = Pick<
  StoredCase,
  'id' | 'name' | 'agentId' | 'environmentId' | 'pinnedVersionId' | 'definition'
>;

export async function insertCase(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  testCase: WrittenCase,
): Promise<void> {
  const insert = transaction
    .insertInto('test_case')
    .values({ workspace_id: workspaceId, id: testCase.id, subject_kind: 'agent', ...columns(testCase) });
  await writeName('test case', testCase.name, insert.execute());
}

export async function updateCase(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  testCase: WrittenCase,
): Promise<void> {
  const update = transaction
    .updateTable('test_case')
    .set({ ...columns(testCase), revision: sql`revision + 1`, updated_at: sql`now()` })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', testCase.id);
  await writeName('test case', testCase.name, update.execute());
}

function columns({ name, agentId, environmentId, pinnedVersionId, definition }: WrittenCase) {
  return {
    name,
    agent_id: agentId,
    environment_id: environmentId,
    pinned_version_id: pinnedVersionId,
    definition: JSON.stringify(definition),
  };
}
