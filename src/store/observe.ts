import type { Kysely } from 'kysely';
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
    const found = await system
      .selectFrom(tables[object])
      .select('created_at')
      .where('workspace_id', '=', workspaceId)
      .where('name', '=', name)
      .where('archived_at', 'is', null)
      .executeTakeFirst();
    return { exists: found !== undefined, createdAt: found?.created_at.toISOString() ?? null };
  };
}
