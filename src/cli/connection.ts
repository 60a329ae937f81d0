import type { AssayClient } from '../contract/client.ts';
import { defaultWorkspace, operatorTokenFile } from '../contract/installation.ts';
import { assayHome } from './assay-home.ts';
import { ServerLost, UsageError } from './failure.ts';
import { readLogin } from './login-file.ts';
import { findRunningServer } from './running-server.ts';
import { requireServerUrl, requireTokenText } from './server-address.ts';
import type { Surroundings } from './surroundings.ts';

/** The operations, wherever they are. */
export interface Connection {
  client: AssayClient;
  /** Null: the operations run in this process. */
  server: string | null;
  /** Makes this process work on runs; a server does so by itself. */
  work(): Promise<void>;
  /** The operations after the server was lost: of the one that is there now. Throws ServerLost where none is. */
  again(): Promise<AssayClient>;
  close(): Promise<void>;
}

/** Which server a command goes to. */
interface Server {
  url: string;
  token: string;
  /** Where the token is from, in words: what to look at when it is refused. */
  tokenPlace: string;
}

/** The server that `ASSAY_URL` names, else the one that runs on the data directory, else that of `assay login`, else this
 *  process itself. */
export async function connect(
  surroundings: Surroundings,
  options: { workspace?: string },
): Promise<Connection> {
  const { env, installation } = surroundings;
  const home = homeOf(surroundings);
  const workspace = options.workspace ?? (env.ASSAY_WORKSPACE || undefined);
  const elsewhere = env.ASSAY_URL ? configuredServer(env.ASSAY_URL, env.ASSAY_TOKEN) : null;
  const here = elsewhere === null ? await serverOf(home) : null;
  const server = elsewhere ?? here ?? (await readLogin(surroundings));
  if (server !== null) {
    const { httpClient } = await import('./http-client.ts');
    const client = httpClient({ ...server, workspace });
    return {
      client,
      server: server.url,
      work: async () => undefined,
      again: async () => {
        if (here === null) return client;
        const found = await serverOf(home);
        if (found === null) throw new ServerLost(`No server runs on ${home}.`);
        return httpClient({ ...found, workspace });
      },
      close: async () => undefined,
    };
  }
  const opened = await installation.open(home, workspace ?? defaultWorkspace);
  return { server: null, ...opened, again: async () => opened.client };
}

async function serverOf(home: string): Promise<Server | null> {
  const server = await findRunningServer(home);
  return server && { ...server, tokenPlace: `the file ${operatorTokenFile} in ${home}` };
}

export function homeOf({ env, platform, personHome }: Surroundings): string {
  return assayHome(env, platform, personHome);
}

function configuredServer(url: string, token: string | undefined): Server {
  requireServerUrl('ASSAY_URL', url);
  if (!token)
    throw new UsageError('ASSAY_URL is set and ASSAY_TOKEN is not: set it to your token for that server.');
  requireTokenText('ASSAY_TOKEN', token);
  return { url, token, tokenPlace: 'ASSAY_TOKEN' };
}
