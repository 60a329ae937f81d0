import { damaged, foreignFiles } from './cluster-files.ts';
import { codeOf, EmbeddedDatabaseError } from './errors.ts';
import type { Postmaster } from './postmaster.ts';

/** PostgreSQL's codes for a file that it cannot use, or contents that cannot be. */
const unreadable = /^(58P|XX)/;
/** The role, or the database, does not exist. */
const unknown = new Set(['28000', '3D000']);

/** What it means that a server on `dataDirectory` that says it is ready refuses our connection with `error`. */
export function explainRefusal(error: unknown, dataDirectory: string, running: Postmaster): unknown {
  const code = codeOf(error) ?? '';
  if (unknown.has(code)) {
    return foreignFiles(dataDirectory, `it is a PostgreSQL of something else (${String(error)})`);
  }
  if (unreadable.test(code)) return damaged(dataDirectory, `PostgreSQL says: ${String(error)}`);
  if (error instanceof Error && error.message === 'timeout expired') {
    return unreachable(running, 'it does not answer');
  }
  return error;
}

/** A server runs on the data directory, and we cannot talk to it. */
export function unreachable(running: Postmaster, why: string): EmbeddedDatabaseError {
  return new EmbeddedDatabaseError(
    'unreachable',
    `A PostgreSQL runs on the data directory (pid ${running.pid}) but cannot be used: ${why}. End it (kill -INT ${running.pid}) and start again.`,
  );
}
