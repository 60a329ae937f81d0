import { type Kysely, sql } from 'kysely';
import type { Observe } from '../core/ports.ts';
import type { ObservableObject } from '../core/trace.ts';
import type { Schema } from './schema.ts';

const tables = {
  prompt: 'prompt',
  agent: 'agent',
  skill: 'skill',
  'test-case': 'test_case',
} as const satisfies { [Kind in ObservableObject]: keyof Schema };

/** Looks for unarchived objects of one workspace by their name. `system` sees every workspace, so the condition on it is
 *  what keeps the others out. */
export function createObserve(system: Kysely<Schema>): Observe {
  return async (workspaceId, object, name) => {
    // the time before the look: what is made from then on cannot have been seen
    const { rows } = await sql<{ now: Date; created_at: Date | null }>`
      select now() as now, o.created_at
      from (select) as looked
      left join ${sql.table(tables[object])} o
        on o.workspace_id = ${workspaceId} and o.name = ${name} and o.archived_at is null`.execute(system);
    const [looked] = rows;
    if (looked === undefined) throw new Error('The database did not say what it sees.');
    const createdAt = looked.created_at?.toISOString() ?? null;
    return { exists: createdAt !== null, createdAt, now: looked.now.toISOString() };
  };
}
