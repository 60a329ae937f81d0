import { objectKind } from '../../contract/apply.ts';
import { shown } from '../../contract/shown-text.ts';
import type { Run } from '../command.ts';
import { UsageError } from '../failure.ts';
import { readObjectFiles, variablesOf } from '../object-files.ts';
import { table } from '../table.ts';

export interface ApplyOptions {
  file: string[];
}

export const apply: Run<ApplyOptions> = async ({ surroundings, output, connect }, _args, options) => {
  if (options.file.filter((path) => path === '-').length > 1) {
    throw new UsageError('-f - is given twice, and standard input can be read only once.');
  }
  const read = options.file.map((path) => readObjectFiles(path, surroundings.stdin));
  const files = (await Promise.all(read)).flat();
  const { client } = await connect();
  const applied = await client.apply({ files, variables: variablesOf(files, surroundings.env) });
  output.result(applied, () =>
    table(
      ['ACTION', 'KIND', 'NAME'],
      applied.objects.map(({ action, kind, name }) => [action, kind, name]),
    ),
  );
  for (const { kind, name, message } of applied.warnings) {
    output.note(`warning: ${kind} "${shown(name)}": ${shown(message, 2000)}`);
  }
  return 0;
};

export const exportObjects: Run<object> = async ({ output, connect }, [kind, name]) => {
  const known = objectKind.optional().safeParse(kind);
  if (!known.success) {
    throw new UsageError(`There is no kind "${kind}". Kinds: ${objectKind.options.join(', ')}.`);
  }
  const { client } = await connect();
  const exported = await client.export({
    ...(known.data === undefined ? {} : { kind: known.data }),
    ...(name === undefined ? {} : { name }),
  });
  output.result(exported, () => exported.text.trimEnd());
  return 0;
};
