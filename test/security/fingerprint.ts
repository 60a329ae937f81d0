import type { People } from './people.ts';

/** What changes without an operation: everything of a table, or some of its columns. */
const changesByItself: Readonly<Record<string, 'everything' | readonly string[]>> = {
  // whoever calls is noted, whether they are let in or not
  api_key: ['last_request', 'request_count', 'remaining', 'updated_at'],
  auth_session: ['expires_at', 'updated_at'],
  auth_rate_limit: 'everything',
  // workers, while runs of earlier tests go on; what an operation does to a run is seen in its row
  worker: 'everything',
  lane: 'everything',
  execution: 'everything',
  trace_batch: 'everything',
  payload: 'everything',
  evaluation: 'everything',
  test_run: ['status', 'outcome', 'remaining', 'started_at', 'finished_at'],
  test_result: [
    'status',
    'attempt',
    'worker',
    'outcome',
    'reason',
    'started_at',
    'finished_at',
    'duration_ms',
    'recorded',
  ],
  // the start of a program, which is let near them alone
  installed_version: 'everything',
  schema_migration: 'everything',
  schema_migration_lock: 'everything',
};

/** What else is looked at, as SQL about a row `r`. */
const alsoSeen: Readonly<Record<string, string>> = { test_run: "r.status = 'cancelled'" };

/** A function that gives a checksum of every table, of what only operations change: equal ones before and after a call
 *  say that it changed nothing, also nothing that it left no audit entry of. */
export async function fingerprints({ sql }: People): Promise<() => Promise<Record<string, unknown>>> {
  const tables = (
    await sql("select tablename as name from pg_tables where schemaname = 'assay' order by tablename")
  ).map(({ name }) => String(name));
  const gone = Object.keys(changesByItself).filter((name) => !tables.includes(name));
  if (gone.length > 0) throw new Error(`There is no table ${gone.join(', ')}.`);
  const statement = tables
    .filter((name) => changesByItself[name] !== 'everything')
    .map((name) => `select '${name}' as name, (${checksum(name, changesByItself[name] ?? [])}) as checksum`)
    .join(' union all ');
  return async () => Object.fromEntries((await sql(statement)).map(({ name, checksum }) => [name, checksum]));
}

function checksum(table: string, without: readonly string[] | 'everything'): string {
  const left = without === 'everything' ? [] : without;
  const row = left.reduce((text, column) => `${text} - '${column}'`, 'to_jsonb(r)');
  const hash = `md5(concat((${row})::text, ${alsoSeen[table] ?? "''"}))`;
  return `select md5(string_agg(${hash}, '' order by ${hash})) from assay.${table} r`;
}
