import type { Ready } from '../cli/surroundings.ts';
import { closing } from './closing.ts';
import { openLog } from './log.ts';
import { lateMcp } from './mcp.ts';
import { type OpenSubjects, openProgram } from './program.ts';
import { stopSignal } from './signals.ts';
import { startDatabase } from './store.ts';
import { startWorking } from './worker.ts';

export async function serve(
  home: string,
  { host, port }: { host: string; port: number },
  ready: Ready,
  openSubjects: OpenSubjects,
): Promise<void> {
  const [
    { createApp },
    { listen },
    { authentication, orInsideCase },
    { openOperatorToken },
    { listOf, publicUrl },
    { newFirstAdminLink },
    { announceServer },
    { serverProof },
    { serverStops },
    { prepareHome },
    { currentAccount },
  ] = await Promise.all([
    import('../http/app.ts'),
    import('../http/listen.ts'),
    import('../http/authenticate.ts'),
    import('../http/operator-token.ts'),
    import('../http/public-url.ts'),
    import('../api/access/sign-in/one-time-link.ts'),
    import('../http/announce-server.ts'),
    import('../contract/server-proof.ts'),
    import('../http/stopping.ts'),
    import('../store/embedded/data-directory.ts'),
    import('../store/embedded/account.ts'),
  ]);
  const opened = await openLog('info');
  const { log, redaction } = opened;
  const publicAddress = publicUrl(process.env.ASSAY_PUBLIC_URL);
  const publicHost = publicAddress === null ? [] : [new URL(publicAddress).hostname];
  // the token and the address go there, whatever the database
  await prepareHome(home, currentAccount());
  await closing(async (defer) => {
    const running = await openProgram(await startDatabase(home, opened), { supervise: true, openSubjects });
    defer(running.close);
    const token = await openOperatorToken(home);
    redaction.rememberOwn(token);
    const { program, address } = running;
    const hosts = [host, ...publicHost, ...listOf(process.env.ASSAY_HOSTS)];
    // said now rather than to the first who signs in
    await program.accounts();
    const stopping = new AbortController();
    const app = await createApp({
      program,
      authenticate: orInsideCase(authentication({ program, operatorToken: token, hosts }), running.calling),
      prove: (challenge) => serverProof(token, challenge),
      hosts,
      mcp: lateMcp(running.warn),
      stopping: stopping.signal,
      log,
    });
    const server = await listen(app.fetch, { host, port });
    defer(() => {
      stopping.abort(serverStops());
      return server.close();
    });
    address.url = server.url;
    const worker = await startWorking(running);
    defer(worker.stop);
    defer(await announceServer(home, { pid: process.pid, url: server.url }));
    ready(server.url, await newFirstAdminLink(program));
    log('info', `stopping on ${await Promise.race([stopSignal(), worker.failed])}`);
  });
}
