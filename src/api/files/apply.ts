import type { z } from 'zod';
import type { ApplyOutput, applyInput, ObjectKind } from '../../contract/apply.ts';
import { looksSecret } from '../../core/documents/variables.ts';
import { AssayError } from '../../core/errors.ts';
import { placed } from '../../files/place.ts';
import { type FileObject, readObjects } from '../../files/read-objects.ts';
import type { ApiContext } from '../call/context.ts';
import type { AnyObjectKind, Saved } from '../objects/object-kind.ts';
import { createProblems, type Problems } from '../objects/problems.ts';
import { objectKindByName, objectKindsInOrder } from '../objects/registry.ts';
import { inSaving, type Saving } from '../objects/saving.ts';
import { submitObject } from '../objects/submit.ts';
import type { Submitted } from '../objects/submitted.ts';

interface Request {
  kind: AnyObjectKind;
  submitted: Submitted<{ name: string }>;
  warnings: string[];
}

/** Creates or updates the objects of the files: all of them, or none. Throws with everything that is wrong. */
export async function apply(
  context: ApiContext,
  { files, variables }: z.infer<typeof applyInput>,
): Promise<ApplyOutput> {
  const problems = createProblems();
  const requests = readRequests(readObjects(files, variables, objectKindByName), problems);
  problems.refuse();
  if (requests.length === 0) {
    const paths = files.map(({ path }) => path).join(', ');
    throw new AssayError('invalid_input', `There is no object in ${paths}. A file describes at least one.`);
  }

  const prepared = await prepareAll(context, requests);
  const saved = await inSaving(context, async (saving) => {
    const results = await saveAll(saving, requests, prepared);
    problems.refuse();
    await addWarnings(saving, requests, results);
    return results;
  });
  const objects = requests.flatMap(({ kind, submitted, warnings: early }) => {
    const { id, name, action, warnings } = saved.get(submitted) as Saved;
    return { kind: kind.kind, id, name, action, warnings: [...early, ...warnings] };
  });
  return {
    objects: objects.map(({ warnings: _, ...object }) => object),
    warnings: objects.flatMap(({ kind, name, warnings }) =>
      warnings.map((message) => ({ kind, name, message })),
    ),
  };
}

function readRequests(read: ReturnType<typeof readObjects>, problems: Problems): Request[] {
  for (const problem of read.problems) problems.add(problem);
  const places = new Map<string, FileObject['place']>();
  return read.objects.flatMap((object) => {
    const kind = objectKindByName.get(object.kind) as AnyObjectKind;
    const submitted = submitObject(object, kind, problems);
    if (submitted === null) return [];
    const { name } = submitted.document;
    const key = `${object.kind} ${name}`;
    const before = places.get(key);
    if (before !== undefined) {
      const message = `is the name of the ${object.kind} at ${before.file}:${before.line('name')} too: "${name}"`;
      problems.add(placed(object.place, { field: 'name', value: name, message }));
    } else places.set(key, object.place);
    return [{ kind, submitted, warnings: openSecrets(object) }];
  });
}

/** What a file holds outside of secret fields is stored and exported as it is. */
function openSecrets({ filled }: FileObject): string[] {
  return filled
    .filter(({ variable }) => looksSecret(variable))
    .map(
      ({ field, variable }) =>
        `${field} holds \${${variable}}, which looks like a secret. Its value is stored as it is there, and whoever may export sees it: only the entries of env and headers of a server are kept as secrets.`,
    );
}

type PreparedKinds = Map<ObjectKind, unknown>;

async function prepareAll(context: ApiContext, requests: readonly Request[]): Promise<PreparedKinds> {
  const prepared: PreparedKinds = new Map();
  for (const [kind, submitted] of byKind(requests)) {
    if (kind.prepare) prepared.set(kind.kind, await kind.prepare(context, submitted));
  }
  return prepared;
}

async function saveAll(
  saving: Saving,
  requests: readonly Request[],
  prepared: PreparedKinds,
): Promise<Map<Submitted<{ name: string }>, Saved>> {
  const results = new Map<Submitted<{ name: string }>, Saved>();
  for (const [kind, submitted] of byKind(requests)) {
    const names = submitted.map(({ document }) => document.name);
    const stored = new Map(
      (await kind.read(saving.transaction, saving.workspaceId, names)).map((each) => [each.name, each]),
    );
    for (const each of submitted) {
      const { name } = each.document;
      const saved = await kind.save(saving, each, stored.get(name), prepared.get(kind.kind));
      if (saved === null) saving.references.refused(kind.table, name);
      else results.set(each, saved);
    }
  }
  return results;
}

/** Adds what is doubtful about each object, now that everything it may refer to is saved. */
async function addWarnings(
  { transaction, workspaceId, offers }: Saving,
  requests: readonly Request[],
  results: ReadonlyMap<Submitted<{ name: string }>, Saved>,
): Promise<void> {
  for (const [kind, submitted] of byKind(requests)) {
    if (kind.warnings === undefined) continue;
    const saved = new Map(submitted.map((each) => [each.document.name, results.get(each)]));
    for (const stored of await kind.read(transaction, workspaceId, [...saved.keys()])) {
      const warnings = await kind.warnings(transaction, workspaceId, stored, offers);
      saved.get(stored.name)?.warnings.push(...warnings);
    }
  }
}

/** Objects may stand in any order: each kind comes after those that it refers to. */
function byKind(requests: readonly Request[]): [AnyObjectKind, Submitted<{ name: string }>[]][] {
  return objectKindsInOrder
    .map((kind): [AnyObjectKind, Submitted<{ name: string }>[]] => [
      kind,
      requests.filter((request) => request.kind === kind).map(({ submitted }) => submitted),
    ])
    .filter(([, submitted]) => submitted.length > 0);
}
