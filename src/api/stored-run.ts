import { sql } from 'kysely';
import { validate as isUuid } from 'uuid';
import { AssayError } from '../core/errors.ts';
import { countTotals, type Totals } from '../core/totals.ts';
import type { WorkspaceTransaction } from '../store/database.ts';

/** The row of a run in the current workspace. Throws `not_found`. */
export async function requireRun(transaction: WorkspaceTransaction, testRunId: string) {
  const row = isUuid(testRunId)
    ? await transaction.selectFrom('test_run').selectAll().where('id', '=', testRunId).executeTakeFirst()
    : undefined;
  if (row !== undefined) return row;
  throw new AssayError('not_found', `There is no test run "${testRunId}".`, [
    { field: 'testRunId', value: testRunId, message: 'names no test run that you may see' },
  ]);
}
export type StoredRun = Awaited<ReturnType<typeof requireRun>>;

/** Totals of each run, by its id. */
export async function totalsOf(
  transaction: WorkspaceTransaction,
  runs: readonly Pick<StoredRun, 'id' | 'total'>[],
): Promise<Map<string, Totals>> {
  const rows =
    runs.length === 0
      ? []
      : await transaction
          .selectFrom('test_result')
          .select(['run_id', 'outcome'])
          .select(({ fn }) => [
            fn.countAll<number>().as('cases'),
            fn.count<number>('duration_ms').as('timed'),
          ])
          .select(sql<number>`coalesce(sum(duration_ms), 0)::float8`.as('sumMs'))
          .where(
            'run_id',
            'in',
            runs.map(({ id }) => id),
          )
          .where('outcome', 'is not', null)
          .groupBy(['run_id', 'outcome'])
          .execute();
  return new Map(
    runs.map(({ id, total }) => {
      const own = rows.filter((row) => row.run_id === id);
      const timed = own.filter((row) => row.outcome !== 'cancelled');
      return [
        id,
        countTotals(total, Object.fromEntries(own.map(({ outcome, cases }) => [outcome, cases])), {
          count: timed.reduce((sum, row) => sum + row.timed, 0),
          sumMs: timed.reduce((sum, row) => sum + row.sumMs, 0),
        }),
      ];
    }),
  );
}
