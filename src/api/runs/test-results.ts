import { validate as isUuid } from 'uuid';
import type { ListedResult } from '../../contract/result.ts';
import { AssayError } from '../../core/errors.ts';
import type { WorkspaceTransaction } from '../../store/database.ts';
import {
  type ResultPart,
  readAnsweringVersions,
  readResult,
  readResults,
  type StoredResult,
} from '../../store/run-result.ts';
import type { RunKey } from '../../store/test-run.ts';
import { type Page, type PageInput, pageBy } from '../call/page.ts';
import { requireRun } from './stored-run.ts';

export type WantedResults = PageInput & Pick<ResultPart, 'outcome' | 'search'>;

/** A page of the results of a run in the order of its suite. Throws `not_found`. */
export async function readListedResults(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  testRunId: string,
  wanted: WantedResults,
): Promise<Page<ListedResult>> {
  const run = await requireRun(transaction, workspaceId, testRunId);
  const page = await resultPage(transaction, { workspaceId, runId: run.id }, wanted);
  const versions = await readAnsweringVersions(transaction, { workspaceId, resultIds: idsOf(page.items) });
  return {
    items: page.items.map(
      ({ id, seq, case_id, case_name, status, outcome, reason, attempt, duration_ms }) => ({
        id,
        seq,
        testCase: { id: case_id, name: case_name },
        status,
        outcome,
        reason,
        attempt,
        durationMs: duration_ms,
        agentVersion: versions.get(id) ?? null,
      }),
    ),
    nextCursor: page.nextCursor,
  };
}

/** The rows of a page. The last id of a page is where the next one goes on. */
export function resultPage(
  transaction: WorkspaceTransaction,
  run: RunKey,
  { outcome, search, ...input }: WantedResults,
): Promise<Page<StoredResult>> {
  return pageBy(
    input,
    { after: (cursor) => seqOf(transaction, run, cursor), of: ({ id }: StoredResult) => id },
    (afterSeq = 0, limit) => readResults(transaction, run, { afterSeq, limit, outcome, search }),
  );
}

async function seqOf(
  transaction: WorkspaceTransaction,
  { workspaceId, runId }: RunKey,
  cursor: string,
): Promise<number | null> {
  const row = isUuid(cursor) ? await readResult(transaction, workspaceId, cursor) : undefined;
  return row?.run_id === runId ? row.seq : null;
}

/** The row of a result in this workspace. Throws `not_found`. */
export async function requireResult(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  testResultId: string,
): Promise<StoredResult> {
  const row = isUuid(testResultId) ? await readResult(transaction, workspaceId, testResultId) : undefined;
  if (row !== undefined) return row;
  throw new AssayError('not_found', `There is no test result "${testResultId}".`, [
    { field: 'testResultId', value: testResultId, message: 'names no test result that you may see' },
  ]);
}

export function idsOf(rows: readonly { id: string }[]): string[] {
  return rows.map(({ id }) => id);
}
