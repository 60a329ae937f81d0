import type { AssayClient } from '../contract/client.ts';
import { defaultWorkspace, operatorTokenFile } from '../contract/installation.ts';
import { assayHome } from './assay-home.ts';
import { ServerLost, UsageError } from './failure.ts';
import { findRunningServer } from './running-server.ts';
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

/** The server that `ASSAY_URL` names, else the one that runs on the data directory, else this process itself. */
export async function connect(
  surroundings: Surroundings,
  options: { workspace?: string },
): Promise<Connection> {
  const { env, installation } = surroundings;
  const home = homeOf(surroundings);
  const workspace = options.workspace ?? (env.ASSAY_WORKSPACE || defaultWorkspace);
  const server = env.ASSAY_URL
    ? configuredServer(env.ASSAY_URL, env.ASSAY_TOKEN)
    : await findRunningServer(home);
  if (server !== null) {
    const { httpClient } = await import('./http-client.ts');
    const tokenPlace = `the file ${operatorTokenFile} in ${home}`;
    const client = httpClient({ tokenPlace, ...server, workspace });
    return {
      client,
      server: server.url,
      work: async () => undefined,
      again: async () => {
        if (env.ASSAY_URL) return client;
        const found = await findRunningServer(home);
        if (found === null) throw new ServerLost(`No server runs on ${home}.`);
        return httpClient({ tokenPlace, ...found, workspace });
      },
      close: async () => undefined,
    };
  }
  const opened = await installation.open(home, workspace);
  return { server: null, ...opened, again: async () => opened.client };
}

export function homeOf({ env, platform, personHome }: Surroundings): string {
  return assayHome(env, platform, personHome);
}

function configuredServer(url: string, token: string | undefined) {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw new UsageError(`ASSAY_URL must be an http or https address; it is "${url}".`);
  }
  if (!token)
    throw new UsageError('ASSAY_URL is set and ASSAY_TOKEN is not: set it to your token for that server.');
  if (!/^[\x21-\x7e]+$/.test(token)) {
    throw new UsageError(
      'ASSAY_TOKEN holds characters that no token has, such as a space, a line break or a letter with an accent: set it again.',
    );
  }
  return { url, token, tokenPlace: 'ASSAY_TOKEN' };
}
