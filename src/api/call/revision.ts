import { AssayError } from '../../core/errors.ts';

/** Throws `conflict` where `known`, the revision that the caller read, is not the present one. `what` is such as
 *  `prompt "tone"`. */
export function requireRevision(what: string, present: number, known: number | undefined): void {
  if (known === undefined || known === present) return;
  throw new AssayError(
    'conflict',
    `The ${what} has been changed since: it is at revision ${present}, not ${known}. Read it again, then change it.`,
    [{ field: 'revision', value: known, message: `is stale: it is ${present} now` }],
  );
}
