import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type RunningServer, runningServerFile } from '../contract/installation.ts';

/** Tells commands on this machine where the server of a data directory is, until the returned function is called. */
export async function announceServer(home: string, server: RunningServer): Promise<() => Promise<void>> {
  const path = join(home, runningServerFile);
  const written = `${path}.${server.pid}`;
  await writeFile(written, `${JSON.stringify(server)}\n`, { mode: 0o600 });
  await rename(written, path);
  return () => rm(path, { force: true });
}
