import { sql } from 'kysely';
import type { TestCaseDefinition } from '../core/documents/test-case.ts';
import type { WorkspaceTransaction } from './database.ts';
import { listEnvironments } from './environment.ts';
import { changedNow, writeName } from './named.ts';
import { readCaseIds } from './suite-cases.ts';

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
    .selectFrom('test_case')
    .select([
      'id',
      'name',
      'revision',
      'agent_id as agentId',
      'environment_id as environmentId',
      'pinned_version_id as pinnedVersionId',
      'definition',
    ])
    .where('workspace_id', '=', workspaceId)
    .where('subject_kind', '=', 'agent')
    .where('archived_at', 'is', null)
    .$narrowType<{ agentId: string; environmentId: string }>();
}

/** Looks the names up one table at a time: a join of tables that have just been filled, and that the database has not
 *  counted yet, can take minutes. */
async function withNames(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  rows: Omit<StoredCase, 'agent' | 'environment' | 'environmentLive' | 'pinnedVersion'>[],
): Promise<StoredCase[]> {
  const named = async (table: 'agent' | 'agent_version', ids: (string | null)[]) => {
    const found = await transaction
      .selectFrom(table)
      .select(['id', 'name'])
      .where('workspace_id', '=', workspaceId)
      .where('id', '=', sql<string>`any(${[...new Set(ids)].filter((id) => id !== null)})`)
      .execute();
    return new Map(found.map(({ id, name }) => [id, name]));
  };
  const agents = await named(
    'agent',
    rows.map(({ agentId }) => agentId),
  );
  const versions = await named(
    'agent_version',
    rows.map(({ pinnedVersionId }) => pinnedVersionId),
  );
  const environments = new Map(
    (await listEnvironments(transaction, workspaceId)).map((environment) => [environment.id, environment]),
  );
  return rows.map((row) => {
    const environment = environments.get(row.environmentId);
    return {
      ...row,
      agent: agents.get(row.agentId) ?? row.agentId,
      environment: environment?.name ?? row.environmentId,
      environmentLive: environment?.live ?? true,
      pinnedVersion: versions.get(row.pinnedVersionId ?? '') ?? null,
    };
  });
}

/** The unarchived test cases of the workspace, or those of these names, by name. */
export async function readCases(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  names?: readonly string[],
): Promise<StoredCase[]> {
  const rows = await cases(transaction, workspaceId)
    .$if(names !== undefined, (query) => query.where('name', '=', sql<string>`any(${names})`))
    .orderBy('name')
    .execute();
  return withNames(transaction, workspaceId, rows);
}

/** Whom the cases of a list test, where, and which suite they are in, by ids. */
export interface CaseFilter {
  agentId?: string;
  environmentId?: string;
  testSuiteId?: string;
}

/** The ids of the unarchived cases that fit, in no order. */
export async function findCaseIds(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  { agentId, environmentId, testSuiteId }: CaseFilter,
): Promise<string[]> {
  const rows = await transaction
    .selectFrom('test_case as c')
    .select('c.id')
    .where('c.workspace_id', '=', workspaceId)
    .where('c.archived_at', 'is', null)
    .$if(agentId !== undefined, (query) => query.where('c.agent_id', '=', agentId ?? null))
    .$if(environmentId !== undefined, (query) => query.where('c.environment_id', '=', environmentId ?? null))
    .$if(testSuiteId !== undefined, (query) =>
      query.where('c.id', 'in', ({ selectFrom }) =>
        selectFrom('test_suite_case')
          .select('case_id')
          .where('workspace_id', '=', workspaceId)
          .where('suite_id', '=', testSuiteId ?? ''),
      ),
    )
    .execute();
  return rows.map(({ id }) => id);
}

/** The cases of a suite in its order, and the names of those among them that nothing can run: they are archived, or of a
 *  kind that this program does not know. */
export async function readCasesOfSuite(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  suiteId: string,
): Promise<{ cases: StoredCase[]; unfit: string[] }> {
  const [{ caseIds } = { caseIds: [] }] = await readCaseIds(transaction, workspaceId, [suiteId]);
  const rows = await cases(transaction, workspaceId).where('id', '=', sql<string>`any(${caseIds})`).execute();
  const byId = new Map((await withNames(transaction, workspaceId, rows)).map((row) => [row.id, row]));
  const missing = caseIds.filter((id) => !byId.has(id));
  return {
    cases: caseIds.map((id) => byId.get(id)).filter((row) => row !== undefined),
    unfit: missing.length === 0 ? [] : await namesOf(transaction, workspaceId, missing),
  };
}

async function namesOf(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  ids: readonly string[],
): Promise<string[]> {
  const rows = await transaction
    .selectFrom('test_case')
    .select(['id', 'name'])
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', sql<string>`any(${ids})`)
    .execute();
  const names = new Map(rows.map(({ id, name }) => [id, name]));
  return ids.map((id) => names.get(id) ?? id);
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
  await writeName('test_case', testCase.name, insert.execute());
}

export async function updateCase(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  testCase: WrittenCase,
): Promise<void> {
  const update = transaction
    .updateTable('test_case')
    .set({ ...columns(testCase), ...changedNow })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', testCase.id);
  await writeName('test_case', testCase.name, update.execute());
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
