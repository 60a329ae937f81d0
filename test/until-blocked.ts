import { sql } from 'kysely';
import { expect } from 'vitest';
import type { Database } from '../src/store/database.ts';

/** Waits until so many transactions of the database wait for a lock that another one holds. */
export async function untilBlocked({ system }: Database, count = 1): Promise<void> {
  const blocked = async () => {
    const { rows } = await sql<{ count: number }>`
      select count(distinct pid)::int as count
      from pg_locks join pg_stat_activity using (pid)
      where datname = current_database() and not granted`.execute(system);
    return rows[0]?.count;
  };
  await expect.poll(blocked, { timeout: 10_000 }).toBe(count);
}
