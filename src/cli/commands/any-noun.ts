import type { AssayClient } from '../../contract/client.ts';
import { shown } from '../../contract/shown-text.ts';
import type { CommandContext, Run } from '../command.ts';
import { firstItems, noteMore } from '../every-page.ts';
import { UsageError } from '../failure.ts';
import type { CliNoun } from '../nouns.ts';
import { readObjectFiles, variablesOf } from '../object-files.ts';
import { table } from '../table.ts';

export interface ListOptions {
  search?: string;
  sort?: string;
  limit?: number;
  /** Filters of the noun, by their flags. */
  [filter: string]: string | number | undefined;
}

export interface FileOptions {
  file: string;
}

type Saved = Parameters<NonNullable<CliNoun['detail']>>[0];

export function listOf({ part, columns, filters = [] }: CliNoun): Run<ListOptions> {
  return async ({ output, connect }, _args, options) => {
    const { search, sort, limit = Number.POSITIVE_INFINITY } = options;
    const narrowed = filters.map(([flag, field]) => [field, options[flagName(flag)]]);
    const input = Object.fromEntries([['search', search], ['sort', sort], ...narrowed]);
    const { client } = await connect();
    const page = await firstItems((place) => client[part].list({ ...input, ...place }), limit);
    output.result(page, () =>
      table(
        [...columns.map(([title]) => title), 'ID'],
        page.items.map((item) => [...columns.map(([, cell]) => cell(item)), item.id]),
      ),
    );
    noteMore(output, page, limit);
    return 0;
  };
}

export function getOne(noun: CliNoun): Run<object> {
  return async ({ output, connect }, [id = '']) => {
    const { client } = await connect();
    const saved = await client[noun.part].get({ id });
    const text = output.json ? '' : await fileText(client, noun, saved);
    output.result(saved, () => text.trimEnd());
    return 0;
  };
}

/** The object in the form of its file, with its id. What stands in a file needs more than the values: variables for
 *  secrets, and escapes of what only looks like one. */
async function fileText(client: AssayClient, { kind, unfiled }: CliNoun, saved: Saved): Promise<string> {
  const { id, document } = saved;
  const reason = unfiled?.(saved) ?? null;
  if (reason === null) {
    const { text } = await client.export({ kind, name: id });
    return text.replace(/^kind: .*\n/, `id: ${id}\n`);
  }
  const { stringify } = await import('yaml');
  return `# ${shown(reason)}\n${stringify({ id, ...document })}`;
}

// The operation says what is wrong with an object, so what the file holds goes to it as it is.
export function createOne(noun: CliNoun): Run<FileOptions> {
  return async (context, _args, { file }) => {
    const { client, object } = await readOneObject(context, file, noun);
    return saySaved(context, 'Created', noun, await client[noun.part].create(object as never));
  };
}

export function updateOne(noun: CliNoun): Run<FileOptions> {
  return async (context, _args, { file }) => {
    const { client, object } = await readOneObject(context, file, noun);
    const revision = await revisionOf(client, noun, object);
    const saved = await client[noun.part].update({ revision, ...object } as never);
    return saySaved(context, 'Updated', noun, saved);
  };
}

export function archiveOne({ part, one }: CliNoun): Run<object> {
  return async ({ output, connect }, [id = '']) => {
    const { client } = await connect();
    const archived = await client[part].archive({ id });
    output.result(archived, () => `Archived ${one} "${shown(archived.name)}" (${archived.id}).`);
    return 0;
  };
}

/** The revision that a file replaces where it names none: the present one, so that only a change in between is refused. */
async function revisionOf(client: AssayClient, { part }: CliNoun, object: Record<string, unknown>) {
  const { id, revision } = object;
  // whether it is there, the operation says, and it says that the id is missing
  if (typeof id !== 'string' || id === '' || revision !== undefined) return 0;
  return (await client[part].get({ id })).revision;
}

async function readOneObject({ surroundings, connect }: CommandContext, path: string, { kind }: CliNoun) {
  const [file, ...others] = await readObjectFiles(path, surroundings.stdin);
  if (file === undefined || others.length > 0) {
    throw new UsageError(`-f takes one file here, and ${path} is a folder. Use "assay apply -f ${path}".`);
  }
  const { client } = await connect();
  const { object } = await client.read({ file, kind, variables: variablesOf([file], surroundings.env) });
  return { client, object };
}

function saySaved({ output }: CommandContext, done: string, { one, detail }: CliNoun, saved: Saved): number {
  const { id, name, revision, warnings } = saved;
  output.result(
    saved,
    () => `${done} ${one} "${shown(name)}" (${id})${detail?.(saved) ?? ''}, revision ${revision}.`,
  );
  for (const warning of warnings) output.note(`warning: ${shown(warning, 2000)}`);
  return 0;
}

/** `--env <environment>` is read as `env`. */
function flagName(flag: string): string {
  return flag.replace(/^--/, '').replace(/ .*$/, '');
}
