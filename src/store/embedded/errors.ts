/** What can keep the embedded database from opening; the codes are stable. */
export type EmbeddedDatabaseErrorCode =
  /** No PostgreSQL for this platform is installed, or it does not run here. */
  | 'no_binaries'
  /** The home directory, or a place that stands in for it, cannot be written. */
  | 'home_not_writable'
  /** No directory for the socket is short enough, private and ours. */
  | 'socket_directory'
  /** Files of something else stand where the data directory belongs. */
  | 'foreign_files'
  /** The data directory belongs to another user of this machine. */
  | 'other_owner'
  /** The data directory that the home names is not there. */
  | 'data_missing'
  /** The data directory is incomplete or PostgreSQL cannot read it. */
  | 'data_damaged'
  | 'data_newer'
  | 'data_older'
  | 'disk_full'
  | 'initialise_failed'
  | 'start_failed'
  /** A server did not become ready, or did not end, in time. */
  | 'timeout'
  /** A server runs on the data directory but does not answer on its socket. */
  | 'unreachable';

/** The embedded database cannot be used: the message says what is wrong, where, and what to do. */
export class EmbeddedDatabaseError extends Error {
  readonly code: EmbeddedDatabaseErrorCode;

  constructor(code: EmbeddedDatabaseErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'EmbeddedDatabaseError';
    this.code = code;
  }
}

/** The `code` of an error of the operating system, of Node or of PostgreSQL; undefined when it has none. */
export function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** Names a refusal of the file system; every other error comes back as it is. */
export function describeFileError(error: unknown, path: string): unknown {
  const code = codeOf(error);
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS' || code === 'ENOENT') {
    return new EmbeddedDatabaseError(
      'home_not_writable',
      `${path} cannot be written (${code}). Give this user write access to it, or point ASSAY_HOME at another directory.`,
      { cause: error },
    );
  }
  if (code === 'ENOSPC' || code === 'EDQUOT') return diskFull(path, code, error);
  if (code === 'ENAMETOOLONG' || code === 'ELOOP') {
    return new EmbeddedDatabaseError(
      'home_not_writable',
      `${path} cannot be used as a directory: ${code === 'ELOOP' ? 'its links lead in a circle' : 'its name is too long'} (${code}). Point ASSAY_HOME at another directory.`,
      { cause: error },
    );
  }
  if (code === 'ENOTDIR') {
    return new EmbeddedDatabaseError(
      'foreign_files',
      `${path} cannot be used as a directory because a file stands in its way (${code}). Point ASSAY_HOME at another directory.`,
      { cause: error },
    );
  }
  if (code === 'EEXIST') {
    return new EmbeddedDatabaseError(
      'foreign_files',
      `${path} cannot be used as a directory because a file stands there (${code}). Move the file away, or point ASSAY_HOME at another directory.`,
      { cause: error },
    );
  }
  return error;
}

/** The volume behind `path` is full; `evidence` is what said so. */
export function diskFull(path: string, evidence: string, cause?: unknown): EmbeddedDatabaseError {
  return new EmbeddedDatabaseError(
    'disk_full',
    `The disk that holds ${path} is full (${evidence}). Free some space and start again; nothing committed is lost.`,
    { cause },
  );
}
