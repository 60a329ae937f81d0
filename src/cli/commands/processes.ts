import type { Run } from '../command.ts';
import { homeOf } from '../connection.ts';
import { CommandError } from '../failure.ts';
import { findRunningServer } from '../running-server.ts';

export interface ServeOptions {
  host: string;
  port: number;
}

export const serve: Run<ServeOptions> = async ({ surroundings, output }, _args, options) => {
  const home = homeOf(surroundings);
  const running = await findRunningServer(home);
  if (running !== null) {
    throw new CommandError(`A server runs on ${home} already: ${running.url} (process ${running.pid}).`);
  }
  await surroundings.installation.serve(home, options, (url, firstAdminLink) => {
    output.result({ url, home, firstAdminLink }, () => `Assay serves ${url} on the data in ${home}.`);
    if (firstAdminLink !== null) {
      output.note(
        `Nobody can sign in yet. Whoever opens this link first becomes admin:\n  ${firstAdminLink}`,
      );
    }
    output.note(
      `Commands on this machine find it by themselves. From elsewhere set ASSAY_URL and ASSAY_TOKEN; the token stands in ${home}/operator-token. Ctrl-C stops it.`,
    );
  });
  return 0;
};

export const worker: Run<object> = async ({ surroundings, output }) => {
  const home = homeOf(surroundings);
  await surroundings.installation.work(home, () =>
    output.note(`Working on runs in ${home}. Ctrl-C stops it.`),
  );
  return 0;
};

export const mcp: Run<object> = async ({ surroundings, connect }) => {
  const { client, work } = await connect();
  await work();
  await surroundings.installation.speakMcp(client);
  return 0;
};
