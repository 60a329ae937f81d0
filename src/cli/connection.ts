import type { AssayClient } from '../contract/client.ts';
import { defaultWorkspace, operatorTokenFile } from '../contract/installation.ts';
import { assayHome } from './assay-home.ts';
import { UsageError } from './failure.ts';
import { findRunningServer } from './running-server.ts';
import type { Surroundings } from './surroundings.ts';

/** The operations, wherever they are. */
export interface Connection {
  client: AssayClient;
  /** Null: the operations run in this process. */
  server: string | null;
  /** Makes this process work on runs; a server does so by itself. */
  work(): Promise<void>;
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
    return {
      client: httpClient({ tokenPlace: `the file ${operatorTokenFile} in ${home}`, ...server, workspace }),
      server: server.url,
      work: async () => undefined,
      close: async () => undefined,
    };
  }
  return { server: null, ...(await installation.open(home, workspace)) };
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
