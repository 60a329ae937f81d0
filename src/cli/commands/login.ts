import { shown } from '../../contract/shown-text.ts';
import { ask } from '../ask.ts';
import type { Run } from '../command.ts';
import { UsageError } from '../failure.ts';
import { httpClient } from '../http-client.ts';
import { loginPath, readLogin, removeLogin, writeLogin } from '../login-file.ts';
import { readObjectFiles } from '../object-files.ts';
import { requireServerUrl, requireTokenText } from '../server-address.ts';
import type { Surroundings } from '../surroundings.ts';

export interface LoginOptions {
  url?: string;
  token?: string;
}

export const login: Run<LoginOptions> = async ({ surroundings, output }, _args, options) => {
  const url =
    options.url ??
    (await ask(surroundings, 'Address of the server: ', { instead: 'Give its address with --url.' }));
  requireServerUrl('The address of the server', url);
  const token = await tokenFrom(options.token, surroundings);
  requireTokenText('The token', token);
  const client = httpClient({ url, token, tokenPlace: 'what was entered', workspace: options.workspace });
  const me = await client.me({});
  await writeLogin(surroundings, { url, token });
  output.result({ url, ...me }, () => {
    const { principal, workspace, role } = me;
    return `Commands go to ${url} now, as ${shown(principal.name)}: ${role} in "${shown(workspace.name)}".`;
  });
  if (surroundings.env.ASSAY_URL) output.note('ASSAY_URL is set: commands go there as long as it is.');
  return 0;
};

async function tokenFrom(source: string | undefined, surroundings: Surroundings): Promise<string> {
  if (source === undefined) {
    const instead = 'Give the token on standard input, with --token -.';
    return ask(surroundings, 'Token: ', { hidden: true, instead });
  }
  // what stands on a command line is seen by every program of this machine
  if (source !== '-') throw new UsageError('--token takes - alone, and the token on standard input.');
  const [read] = await readObjectFiles('-', surroundings.stdin);
  return read?.text.trim() ?? '';
}

export const logout: Run<object> = async ({ surroundings, output }) => {
  const kept = await readLogin(surroundings).catch(() => undefined);
  await removeLogin(surroundings);
  const wasKept = kept !== null;
  output.result({ loggedOut: wasKept, url: kept?.url ?? null }, () =>
    wasKept
      ? `The token${kept === undefined ? '' : ` for ${kept.url}`} is forgotten. It stays good until it is revoked.`
      : `Nothing is kept in ${loginPath(surroundings)}.`,
  );
  return 0;
};
