import { validate as isUuid } from 'uuid';
import { AssayError } from '../core/errors.ts';
import type { WorkspaceTransaction } from './database.ts';

/** Tables whose objects have a name that is unique among the unarchived ones of the workspace. */
export type NamedTable =
  | 'environment'
  | 'prompt'
  | 'skill'
  | 'mcp_server'
  | 'agent'
  | 'test_case'
  | 'test_suite';

export interface Named {
  id: string;
  name: string;
}

/** The unarchived objects that these ids and names mean, by what was asked for. No name looks like an id. */
export async function findNamed(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  table: NamedTable,
  references: readonly string[],
): Promise<Map<string, Named>> {
  const asked = new Set(references);
  const ids = [...asked].filter(isUuid);
  // what no name can hold would not even be accepted as a parameter
  const names = [...asked].filter((reference) => !isUuid(reference) && !/\p{Cc}/u.test(reference));
  const rows = await transaction
    .selectFrom(table)
    .select(['id', 'name'])
    .where('workspace_id', '=', workspaceId)
    .where('archived_at', 'is', null)
    .where(({ or, eb, val }) =>
      or([eb('id', '=', eb.fn.any(val(ids))), eb('name', '=', eb.fn.any(val(names)))]),
    )
    .execute();
  const byId = new Map(rows.map((row) => [row.id, row]));
  const byName = new Map(rows.map((row) => [row.name, row]));
  const found = new Map<string, Named>();
  for (const reference of asked) {
    const row = isUuid(reference) ? byId.get(reference.toLowerCase()) : byName.get(reference);
    if (row !== undefined) found.set(reference, row);
  }
  return found;
}

/** Names of the unarchived objects, for saying which one may be meant. */
export async function someNames(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  table: NamedTable,
): Promise<string[]> {
  const rows = await transaction
    .selectFrom(table)
    .select('name')
    .where('workspace_id', '=', workspaceId)
    .where('archived_at', 'is', null)
    .orderBy('name')
    .limit(2000)
    .execute();
  return rows.map(({ name }) => name);
}

/** Waits for a statement that writes a name. A name that another object has is a `conflict` that says so. */
export async function writeName<Result>(
  noun: string,
  name: string,
  statement: Promise<Result>,
): Promise<Result> {
  try {
    return await statement;
  } catch (error) {
    const { code, constraint } = error as { code?: string; constraint?: string };
    if (code !== '23505' || !constraint?.endsWith('_name')) throw error;
    throw new AssayError(
      'conflict',
      `There is already a ${noun} named "${name}". Choose another name, or update that one.`,
      [{ field: 'name', value: name, message: `is the name of another ${noun}` }],
      { cause: error },
    );
  }
}
