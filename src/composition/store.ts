import type { DatabaseAccess } from '../store/connection.ts';
import type { Database } from '../store/database.ts';
import type { EmbeddedServer } from '../store/embedded/server.ts';
import type { OpenedLog } from './log.ts';

export interface StartingDatabase extends OpenedLog {
  home: string;
  /** null: `DATABASE_URL` names another one. */
  embedded: { server: Promise<EmbeddedServer> } | null;
}

/** Begins to start the embedded database, so that it comes up while everything else is loaded. */
export async function startDatabase(home: string, opened: OpenedLog): Promise<StartingDatabase> {
  if (process.env.DATABASE_URL) return { home, ...opened, embedded: null };
  const { openEmbedded } = await import('../store/embedded/server.ts');
  const server = openEmbedded({ home, log: (line) => opened.log('info', line) });
  // whoever waits for it hears of a failure; until then it is no unhandled one
  server.catch(() => undefined);
  return { home, ...opened, embedded: { server } };
}

/** The database that `DATABASE_URL` names, else the embedded one of the data directory; brought up to this program. */
export async function openStore({ warn, embedded }: StartingDatabase): Promise<{
  access: DatabaseAccess;
  database: Database;
  close(): Promise<void>;
}> {
  const [{ embeddedAccess, urlAccess }, { openDatabase }, { migrate }] = await Promise.all([
    import('../store/connection.ts'),
    import('../store/database.ts'),
    import('../store/migrate.ts'),
  ]);
  const server = await embedded?.server;
  try {
    const access =
      server === undefined ? urlAccess(process.env.DATABASE_URL as string) : embeddedAccess(server);
    await migrate(access);
    const database = openDatabase(access, {
      onIdleError: (error) => warn('a database connection broke', error),
    });
    return {
      access,
      database,
      close: async () => {
        await database.close();
        await server?.stop();
      },
    };
  } catch (error) {
    await server?.stop();
    throw error;
  }
}
