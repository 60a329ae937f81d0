import { sql } from 'kysely';
import type { CaseOutcome } from '../core/verdict/outcome.ts';
import type { WorkspaceTransaction } from './database.ts';
import type { RunKey } from './test-run.ts';

/** A place in the order in which the results of a run were recorded: how many the run had then, and among those that
 *  were recorded together the place in the order of the suite. Nothing is ever recorded before a place that was read. */
export interface RecordedPlace {
  recorded: number;
  seq: number;
}

/** Before every result. */
export const firstPlace: RecordedPlace = { recorded: -1, seq: 0 };

export interface RecordedResult {
  id: string;
  /** Place in the order of the suite, from 1. */
  seq: number;
  testCase: { id: string; name: string };
  outcome: CaseOutcome;
  reason: string;
  durationMs: number | null;
}

/** The next results of a run in the order of their recording, `limit` at most. */
export async function readRecorded(
  transaction: WorkspaceTransaction,
  { workspaceId, runId }: RunKey,
  after: RecordedPlace,
  limit: number,
): Promise<{ place: RecordedPlace; result: RecordedResult }[]> {
  const rows = await transaction
    .selectFrom('test_result')
    .select(['id', 'seq', 'case_id', 'case_name', 'reason', 'duration_ms', 'recorded'])
    .select(({ ref }) => ref('outcome').$notNull().as('outcome'))
    .where('workspace_id', '=', workspaceId)
    .where('run_id', '=', runId)
    .where('status', '=', 'done')
    .where(sql<boolean>`(recorded, seq) > (${after.recorded}, ${after.seq})`)
    .orderBy('recorded')
    .orderBy('seq')
    .limit(limit)
    .execute();
  return rows.map(({ id, seq, case_id, case_name, outcome, reason, duration_ms, recorded }) => ({
    place: { recorded, seq },
    result: {
      id,
      seq,
      testCase: { id: case_id, name: case_name },
      outcome,
      reason,
      durationMs: duration_ms,
    },
  }));
}

/** Behind every result that a run has now. */
export async function lastPlace(
  transaction: WorkspaceTransaction,
  { workspaceId, runId }: RunKey,
): Promise<RecordedPlace> {
  const { recorded, seq } =
    (await transaction
      .selectFrom('test_result')
      .select(['recorded', 'seq'])
      .where('workspace_id', '=', workspaceId)
      .where('run_id', '=', runId)
      .where('status', '=', 'done')
      .orderBy('recorded', 'desc')
      .orderBy('seq', 'desc')
      .limit(1)
      .executeTakeFirst()) ?? firstPlace;
  return { recorded, seq };
}
