import { damaged } from './cluster-files.ts';
import { diskFull, EmbeddedDatabaseError, type EmbeddedDatabaseErrorCode } from './errors.ts';

const fullDisk = /No space left on device|Disk quota exceeded/;
/** Words of a server that ends because a file of its data directory (a path without a leading slash) cannot be used. */
const unreadable =
  /(FATAL|PANIC):(?!.*Permission denied).*(checkpoint record|control file|database files are incompatible|required WAL directory|invalid page|not a valid data directory|could not (open|read|access) (file|directory) "(?!\/))/;

/** What the last words of a program of PostgreSQL on `dataDirectory` mean; `fallback` when none of the known causes. */
export function explainFailure(
  fallback: EmbeddedDatabaseErrorCode & ('initialise_failed' | 'start_failed'),
  dataDirectory: string,
  lines: string[],
): EmbeddedDatabaseError {
  const said = lines.length > 0 ? `\n  ${lines.join('\n  ')}` : ' nothing.';
  const cause = lines.find((line) => fullDisk.test(line)) ?? lines.find((line) => unreadable.test(line));
  if (cause !== undefined && fullDisk.test(cause)) return diskFull(dataDirectory, cause.trim());
  if (cause !== undefined) return damaged(dataDirectory, `PostgreSQL says:${said}`);
  const what =
    fallback === 'start_failed' ? 'The embedded PostgreSQL did not start' : 'No database could be made';
  return new EmbeddedDatabaseError(
    fallback,
    `${what} in ${dataDirectory}. It says:${said}\nCorrect what it names, or set DATABASE_URL to your own PostgreSQL.`,
  );
}
