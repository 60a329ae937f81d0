import { damaged } from './cluster-files.ts';
import { diskFull, EmbeddedDatabaseError } from './errors.ts';

const fullDisk = /No space left on device|Disk quota exceeded/;
/** Words of a server that ends because a file of its data directory (a path without a leading slash) cannot be used. */
const unreadable =
  /(FATAL|PANIC):(?!.*Permission denied).*(checkpoint record|control file|database files are incompatible|required WAL directory|invalid page|not a valid data directory|could not (open|read|access) (file|directory) "(?!\/))/;

/** What the last words of a program of PostgreSQL on `dataDirectory` mean; `fallback` when none of the known causes. */
export function explainFailure(
  fallback: 'initialise_failed' | 'start_failed',
  dataDirectory: string,
  lines: string[],
): EmbeddedDatabaseError {
  const known = knownCause(dataDirectory, lines);
  if (known) return known;
  const what =
    fallback === 'start_failed' ? 'The embedded PostgreSQL did not start' : 'No database could be made';
  return new EmbeddedDatabaseError(
    fallback,
    `${what} in ${dataDirectory}. It says:${quote(lines)}\nCorrect what it names, or set DATABASE_URL to your own PostgreSQL.`,
  );
}

/** The error for words that say that the disk is full or that files are damaged. */
export function knownCause(dataDirectory: string, lines: string[]): EmbeddedDatabaseError | undefined {
  const full = lines.find((line) => fullDisk.test(line));
  if (full !== undefined) return diskFull(dataDirectory, full.trim());
  if (lines.some((line) => unreadable.test(line)))
    return damaged(dataDirectory, `PostgreSQL says:${quote(lines)}`);
  return undefined;
}

function quote(lines: string[]): string {
  return lines.length > 0 ? `\n  ${lines.join('\n  ')}` : ' nothing.';
}
