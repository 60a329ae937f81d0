import type { DatabaseRole } from '../connection.ts';
import { currentAccount } from './account.ts';
import { findPackage } from './binaries.ts';
import { prepareHome } from './data-directory.ts';
import { Supervisor } from './supervisor.ts';

/** The PostgreSQL that Assay brings along, running on the data directory of a home. */
export interface EmbeddedServer {
  /** Whether this process started it; else it ran already and was adopted. */
  readonly started: boolean;
  readonly dataDirectory: string;
  readonly socketDirectory: string;
  /** How to connect, for a client or pool of `pg`. None of the roles is a superuser or bypasses row-level security. */
  connection(
    role: DatabaseRole,
    database?: string,
  ): { host: string; port: number; user: string; database: string };
  /** Ends this use of the server, and the server with it when nobody else uses it: no other process that opened it and
   *  no other client of the database. Close your own connections first. Returns whether the server was told to stop;
   *  with `wait`, once it has. Whoever opens it meanwhile waits and starts it again. */
  stop(options?: { wait?: boolean }): Promise<boolean>;
}

/** Opens the embedded database of `home`, making and starting it as needed. The server survives the death of this
 *  process, and the next `openEmbedded` adopts it. Should it end while we use it, it is started again.
 *  `fsync: false` gives up durability, for tests. Throws an EmbeddedDatabaseError, whose message says what to do. */
export async function openEmbedded(options: {
  home: string;
  fsync?: boolean;
  log?: (line: string) => void;
}): Promise<EmbeddedServer> {
  const current = currentAccount();
  const installed = await findPackage();
  const home = await prepareHome(options.home, current);
  return Supervisor.open({
    home,
    current,
    installed,
    fsync: options.fsync ?? true,
    log: options.log ?? (() => undefined),
  });
}
