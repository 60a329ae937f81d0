import type { ObjectKind } from '../../contract/apply.ts';
import type { JsonObject } from '../../core/json.ts';
import { placed } from '../../files/place.ts';
import { readObjects } from '../../files/read-objects.ts';
import type { ObjectFile } from '../../files/yaml-stream.ts';
import type { ApiContext } from '../call/context.ts';
import type { AnyObjectKind } from '../objects/object-kind.ts';
import { createProblems } from '../objects/problems.ts';
import { objectKindByName } from '../objects/registry.ts';
import { submitObject } from '../objects/submit.ts';

/** The one object of a file, which need not say its kind and may say which object it updates. Stores nothing; throws
 *  with everything that is wrong with it. */
export async function readObject(
  _context: ApiContext,
  input: { file: ObjectFile; kind: ObjectKind; variables: Record<string, string> },
): Promise<{ object: JsonObject }> {
  const { file, variables } = input;
  const problems = createProblems();
  const read = readObjects([file], variables, objectKindByName, input.kind);
  for (const problem of read.problems) problems.add(problem);
  problems.refuse();

  const [object, second] = read.objects;
  if (object === undefined) problems.add({ file: file.path, line: 1, message: `describes no ${input.kind}` });
  if (second !== undefined) {
    problems.add(
      placed(second.place, { message: `is a second object: this takes one ${input.kind}, use apply` }),
    );
  }
  if (object !== undefined && object.kind !== input.kind) {
    problems.add(
      placed(object.place, {
        field: 'kind',
        value: object.kind,
        message: `must be ${input.kind}, not "${object.kind}"`,
      }),
    );
  } else if (object !== undefined) {
    const { id: _id, revision: _revision, ...body } = object.body;
    submitObject({ ...object, body }, objectKindByName.get(input.kind) as AnyObjectKind, problems);
  }
  problems.refuse();
  return { object: object?.body as JsonObject };
}
