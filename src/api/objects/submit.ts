import { inputDetails } from '../../core/text/invalid-input.ts';
import { type Place, placed } from '../../files/place.ts';
import type { FileObject } from '../../files/read-objects.ts';
import type { AnyObjectKind } from './object-kind.ts';
import type { Problems } from './problems.ts';
import type { Submitted } from './submitted.ts';

/** A document with the place that its problems are reported at; null: it came from no file. */
export function submit<Document>(
  document: Document,
  { replaces, place, problems }: { replaces: string | null; place: Place | null; problems: Problems },
): Submitted<Document> {
  let refused = false;
  return {
    document,
    replaces,
    get refused() {
      return refused;
    },
    problem(field, message, { value, code } = {}) {
      refused = true;
      const detail = { field, message, ...(value === undefined ? {} : { value }) };
      problems.add(place === null ? detail : placed(place, detail), code);
    },
  };
}

/** The document of a file, if its schema accepts it; what it does not accept is reported. */
export function submitObject(
  { body, place }: FileObject,
  kind: AnyObjectKind,
  problems: Problems,
): Submitted<{ name: string }> | null {
  const parsed = kind.schema.safeParse(body);
  // a file has no other way to say which object it means
  if (parsed.success) return submit(parsed.data, { replaces: parsed.data.name, place, problems });
  for (const detail of inputDetails(parsed.error.issues, body)) {
    problems.add(placed(place, detail));
  }
  return null;
}
