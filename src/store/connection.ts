import type { Client, ClientConfig } from 'pg';
import { checkDatabaseUrl, explainUnreached } from './database-url.ts';

/** `owner` owns the tables and migrates; `app` sees the current workspace only; `system` (workers, sign-in, workspace
 *  lookup) sees every workspace. None of them is a superuser or bypasses row-level security. */
export type DatabaseRole = 'owner' | 'app' | 'system';

/** How to reach the database as one of its roles. */
export interface DatabaseAccess {
  /** One login takes on every role; else each role logs in by itself. */
  oneLogin: boolean;
  config(role: DatabaseRole): ClientConfig;
  /** What to say where a first connection fails. */
  explain(error: unknown, client: Client): unknown;
}

const searchPath = '-c search_path=assay';

/** The embedded server: one login role each. */
export function embeddedAccess(server: {
  connection(role: DatabaseRole): { host: string; port: number; user: string; database: string };
}): DatabaseAccess {
  return {
    oneLogin: false,
    config: (role) => ({ ...server.connection(role), options: searchPath }),
    explain: (error) => error,
  };
}

/** Your own server: one login, which owns the tables and takes on the two other roles when it connects.
 *  Throws AssayError where the address is none of a PostgreSQL. */
export function urlAccess(connectionString: string): DatabaseAccess {
  checkDatabaseUrl(connectionString);
  return {
    oneLogin: true,
    config: (role) => ({
      connectionString,
      options: role === 'owner' ? searchPath : `${searchPath} -c role=assay_${role}`,
    }),
    explain: explainUnreached,
  };
}
