import { sql } from 'kysely';
import { validate as isUuid } from 'uuid';
import { AssayError } from '../core/errors.ts';
import { type NounTable, nounWords } from '../core/noun-words.ts';
import { withArticle } from '../core/text/article.ts';
import type { WorkspaceTransaction } from './database.ts';

/** Tables whose objects have a name that is unique among the unarchived ones of the workspace. */
export type NamedTable = Exclude<NounTable, 'workspace'>;

export interface Named {
  id: string;
  name: string;
}

/** What every named object has beside what it says. Times as ISO 8601. */
export interface NamedRow extends Named {
  revision: number;
  createdAt: string;
  updatedAt: string;
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
  table: NounTable,
  name: string,
  statement: Promise<Result>,
): Promise<Result> {
  try {
    return await statement;
  } catch (error) {
    const { code, constraint } = error as { code?: string; constraint?: string };
    if (code !== '23505' || !constraint?.endsWith('_name')) throw error;
    throw nameTaken(table, name, error);
  }
}

export function nameTaken(table: NounTable, name: string, cause?: unknown): AssayError {
  const noun = nounWords[table];
  return new AssayError(
    'conflict',
    `There is already ${withArticle(noun)} named "${name}". Choose another name, or update that one.`,
    [{ field: 'name', value: name, message: `is the name of another ${noun}` }],
    { cause },
  );
}

/** The unarchived object with this id. */
export async function readNamed(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  table: NamedTable,
  id: string,
): Promise<NamedRow | undefined> {
  const row = await namedRows(transaction, workspaceId, table).where('id', '=', id).executeTakeFirst();
  return row && shownRow(row);
}

/** By what a list is ordered, and the object after which it goes on: its `position` and its id. */
interface ListPlace {
  by: 'name' | 'updated_at';
  descending: boolean;
  after: { value: string; id: string } | undefined;
  limit: number;
}

/** Where in its order an object stands, as text, and what that text stands for. Times are microseconds since 1970: a
 *  timestamp of JavaScript has only milliseconds, and several objects would stand at one place. */
const places = {
  name: {
    position: sql<string>`name`,
    value: (text: string) => sql`${text}::text`,
  },
  updated_at: {
    position: sql<string>`(extract(epoch from updated_at) * 1000000)::bigint::text`,
    value: (text: string) => sql`(timestamptz 'epoch' + interval '1 microsecond' * ${text}::bigint)`,
  },
};

/** The next unarchived objects of a list. `ids` narrows it; `search` is a part of the name, whatever its case. `position`
 *  says where in the order each stands. */
export async function listNamed(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  table: NamedTable,
  { by, descending, after, limit }: ListPlace,
  { search, ids }: { search?: string | undefined; ids?: readonly string[] | undefined },
): Promise<(NamedRow & { position: string })[]> {
  const column = sql.ref(by);
  const { position, value } = places[by];
  const beyond = descending ? sql`<` : sql`>`;
  const direction = descending ? sql`desc` : sql`asc`;
  const rows = await namedRows(transaction, workspaceId, table)
    .select(position.as('position'))
    .$if(search !== undefined, (query) =>
      query.where(sql<boolean>`strpos(lower(name), lower(${search ?? ''})) > 0`),
    )
    .$if(ids !== undefined, (query) => query.where('id', '=', sql<string>`any(${ids})`))
    .$if(after !== undefined, (query) =>
      query.where(sql<boolean>`(${column}, id) ${beyond} (${value(after?.value ?? '')}, ${after?.id}::uuid)`),
    )
    .orderBy(sql`${column} ${direction}, id ${direction}`)
    .limit(limit)
    .execute();
  return rows.map((row) => ({ ...shownRow(row), position: row.position }));
}

function namedRows(transaction: WorkspaceTransaction, workspaceId: string, table: NamedTable) {
  return transaction
    .selectFrom(table)
    .select(['id', 'name', 'revision', 'created_at', 'updated_at'])
    .where('workspace_id', '=', workspaceId)
    .where('archived_at', 'is', null);
}

function shownRow({
  id,
  name,
  revision,
  created_at,
  updated_at,
}: Named & { revision: number; created_at: Date; updated_at: Date }): NamedRow {
  return { id, name, revision, createdAt: created_at.toISOString(), updatedAt: updated_at.toISOString() };
}

/** What is set beside its content where an object has changed. */
export const changedNow = { revision: sql<number>`revision + 1`, updated_at: sql<Date>`now()` };

/** Notes that something has changed that belongs to the object and stands elsewhere, such as a deployment. */
export async function touchNamed(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  table: NamedTable,
  id: string,
): Promise<void> {
  await transaction
    .updateTable(table)
    .set(changedNow)
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .execute();
}

/** Takes an object out of lists and lookups; what refers to it by its id still finds it. */
export async function archiveNamed(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  table: NamedTable,
  id: string,
): Promise<void> {
  await transaction
    .updateTable(table)
    .set({ archived_at: sql`now()`, revision: sql`revision + 1` })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .execute();
}
