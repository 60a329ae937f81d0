/** What `postmaster.pid`, or the lock file of a socket, says about the server that wrote it. */
export interface LockFile {
  pid: number;
  /** Empty while the server is just starting. */
  socketDirectory: string;
  status: 'starting' | 'ready' | 'stopping';
}

/** Lines: pid, data directory, start time, port, socket directory, listen address, shared memory, status. They are
 *  written as the server gets that far. A single-user server writes its pid negated: it accepts nobody.
 *  Returns undefined when there is no pid. */
export function parseLockFile(text: string): LockFile | undefined {
  const lines = text.split('\n');
  const pid = Math.abs(Number(lines[0]));
  if (!Number.isInteger(pid) || pid <= 1) return undefined;
  const status = lines[7]?.trim();
  return {
    pid,
    socketDirectory: lines[4] ?? '',
    status: status === 'ready' || status === 'stopping' ? status : 'starting',
  };
}
