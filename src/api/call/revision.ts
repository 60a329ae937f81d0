import { AssayError } from '../../core/errors.ts';

/** Throws `conflict` where `known`, the revision that the caller read, is not the present one. `what` is such as
 *  `prompt "tone"`. */
export function requireRevision(what: string, present: number, known: number): void {
  if (known === present) return;
  throw new AssayError(
    'conflict',
    `The ${what} changed since then: the revision is ${present} now, not ${known}. Read again, then change.`,
    [{ field: 'revision', value: known, message: `is stale: it is ${present} now` }],
  );
}
