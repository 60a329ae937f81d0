import { isMap, isScalar, isSeq, type Node } from 'yaml';
import type { ErrorDetail } from '../core/errors.ts';
import { fieldPath } from '../core/text/invalid-input.ts';
import { shown } from '../core/text/shown-text.ts';
import { documentValue, type ValueReader } from './document-values.ts';
import { type Place, placed, placeOf } from './place.ts';
import { type ObjectFile, readYamlStream, type YamlDocument } from './yaml-stream.ts';

/** What reading has to know of a kind of object: the fields whose entries are secrets, such as `transport.env`. */
export interface FileKind {
  secretFields: readonly string[];
}

/** One object as a file describes it, without its `kind`. */
export interface FileObject {
  kind: string;
  body: Record<string, unknown>;
  place: Place;
  /** Where variables were filled outside of secret fields. */
  filled: { field: string; variable: string }[];
}

/** Reads files of one or more objects (YAML documents, or JSON; a list at the top is several objects) and fills their
 *  variables. Gathers everything that is wrong, in every file; what it says of an object that is wrong is left out. */
export function readObjects(
  files: readonly ObjectFile[],
  variables: Readonly<Record<string, string>>,
  kinds: ReadonlyMap<string, FileKind>,
  /** What an object is that names no kind; absent: it has to. */
  defaultKind?: string,
): { objects: FileObject[]; problems: ErrorDetail[] } {
  const objects: FileObject[] = [];
  const problems: ErrorDetail[] = [];
  for (const file of files) {
    const stream = readYamlStream(file);
    problems.push(...stream.problems);
    const used = { aliases: 0, values: 0, characters: 0 };
    for (const root of stream.documents.flatMap(splitList)) {
      const read = readObject(file, root, used);
      if ('problems' in read) problems.push(...read.problems);
      else objects.push(read);
    }
  }
  return { objects, problems };

  function readObject(
    file: ObjectFile,
    { root, lineAt }: { root: Node; lineAt: YamlDocument['lineAt'] },
    used: ValueReader['used'],
  ): FileObject | { problems: ErrorDetail[] } {
    const place = placeOf(file.path, root, lineAt, variables);
    const refused = (problem: ErrorDetail) => ({ problems: [placed(place, problem)] });
    if (!isMap(root)) return refused({ message: 'must be an object with a kind, such as "kind: prompt"' });
    const name = writtenKind(root) ?? defaultKind;
    const known = [...kinds.keys()].join(', ');
    if (name === undefined) return refused({ field: 'kind', message: `is needed: one of ${known}` });
    const kind = typeof name === 'string' ? kinds.get(name) : undefined;
    if (kind === undefined || typeof name !== 'string') {
      return refused({
        field: 'kind',
        value: name,
        message: `must be one of ${known}, not ${shown(JSON.stringify(name), 60)}`,
      });
    }
    const found: ErrorDetail[] = [];
    const filled: FileObject['filled'] = [];
    const value = documentValue(root, {
      variables,
      used,
      isSecret: (path) => kind.secretFields.includes(fieldPath(path.slice(0, -1))),
      filled: (path, names) => {
        const field = fieldPath(path);
        filled.push(...names.map((variable) => ({ field, variable })));
      },
      problem: (node, path, message, inside) =>
        found.push({
          ...(path.length === 0 ? {} : { field: fieldPath(path) }),
          file: file.path,
          line: lineAt(offsetOf(file.text, node, inside)),
          message,
        }),
    });
    if (found.length > 0) return { problems: found };
    const { kind: _, ...body } = value as Record<string, unknown>;
    return { kind: name, body, place, filled };
  }
}

/** JSON has no documents, so a list at the top of a file stands for several. */
function splitList({ root, lineAt }: YamlDocument): { root: Node; lineAt: YamlDocument['lineAt'] }[] {
  return isSeq<Node>(root) ? root.items.map((item) => ({ root: item, lineAt })) : [{ root, lineAt }];
}

function writtenKind(root: Node): unknown {
  if (!isMap<Node, Node>(root)) return undefined;
  const pair = root.items.find(({ key }) => isScalar(key) && key.value === 'kind');
  return isScalar(pair?.value) ? (pair.value.value ?? undefined) : undefined;
}

function offsetOf(text: string, node: Node, inside: string | undefined): number {
  const [from, to] = node.range ?? [0, 0];
  const found = inside === undefined ? -1 : text.slice(from, to).indexOf(inside);
  return found === -1 ? from : from + found;
}
