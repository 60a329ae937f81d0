import { homedir } from 'node:os';
import { join } from 'node:path';
import type { PgBoss } from 'pg-boss';
import type { Accounts } from './api/access/sign-in/accounts.ts';
import type { Program } from './api/call/context.ts';
import type { CallingCases } from './api/runs/calling-case.ts';
import type { InProcess, Installation, Ready, Surroundings } from './cli/surroundings.ts';
import { AssayError } from './core/errors.ts';
import type { Clock, ToolScope } from './core/ports.ts';
import type { ReadProviderSettings } from './core/provider-settings.ts';
import type { ExecutionPorts } from './engine/execution/execute.ts';
import type { RunningCases } from './engine/testing/running-cases.ts';
import type { Worker } from './engine/testing/worker/worker.ts';
import type { Log, LogLevel } from './http/log.ts';
import type { ServeMcp } from './http/mcp.ts';
import type { Warn } from './http/warn.ts';
import type { Fetch } from './net/guarded-fetch.ts';
import type { Redaction } from './net/redaction.ts';
import type { DatabaseAccess } from './store/connection.ts';
import type { Database } from './store/database.ts';
import type { EmbeddedServer } from './store/embedded/server.ts';

// The composition root. Whatever takes time to load is imported where a command comes to need it.

/** Loads what can be talked to, one subject for each kind of agent. */
type OpenSubjects = () => Promise<ExecutionPorts['subjects']>;

const ownSubjects: OpenSubjects = async () => ({
  native: (await import('./agents/native/native.ts')).nativeAgent,
});

/** Runs one command line (without node and script) and gives its exit code. */
export async function main(argv: readonly string[], openSubjects = ownSubjects): Promise<number> {
  const { runCommandLine } = await import('./cli/command-line.ts');
  return runCommandLine(argv, surroundings(openSubjects));
}

const endingSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

function surroundings(openSubjects: OpenSubjects): Surroundings {
  return {
    env: process.env,
    platform: process.platform,
    script: process.argv[1] ?? '',
    folder: process.cwd(),
    personHome: homedir(),
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    onInterrupt: (listener) => {
      for (const signal of endingSignals) process.on(signal, listener);
      return () => {
        for (const signal of endingSignals) process.off(signal, listener);
      };
    },
    quit: (exitCode) => process.exit(exitCode),
    installation: {
      open: (home, workspace) => openInProcess(home, workspace, openSubjects),
      serve: (home, address, ready) => serve(home, address, ready, openSubjects),
      work: (home, ready) => work(home, ready, openSubjects),
      speakMcp,
      junit,
    },
  };
}

async function openInProcess(
  home: string,
  workspace: string,
  openSubjects: OpenSubjects,
): Promise<InProcess> {
  const starting = await startDatabase(home, await openLog('warn'));
  const [running, { createRouterClient }, { router }, { localCaller }] = await Promise.all([
    openProgram(starting, { supervise: false, openSubjects }),
    import('@orpc/server'),
    import('./api/router.ts'),
    import('./api/call/caller.ts'),
  ]);
  let worker: Worker | null = null;
  const close = async () => {
    await worker?.stop();
    await running.close();
  };
  return {
    client: createRouterClient(router, {
      context: { caller: localCaller, workspaceRef: workspace, program: running.program },
    }),
    work: async () => {
      if (worker !== null) return;
      worker = await startWorking(running);
      // what the command waits for would never come; the reason is in the log
      worker.failed.catch(() => close().finally(() => process.exit(2)));
    },
    close,
  };
}

async function serve(
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
    import('./http/app.ts'),
    import('./http/listen.ts'),
    import('./http/authenticate.ts'),
    import('./http/operator-token.ts'),
    import('./http/public-url.ts'),
    import('./api/access/sign-in/one-time-link.ts'),
    import('./http/announce-server.ts'),
    import('./contract/server-proof.ts'),
    import('./http/stopping.ts'),
    import('./store/embedded/data-directory.ts'),
    import('./store/embedded/account.ts'),
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

async function work(home: string, ready: () => void, openSubjects: OpenSubjects): Promise<void> {
  const opened = await openLog('info');
  const { log } = opened;
  await closing(async (defer) => {
    const running = await openProgram(await startDatabase(home, opened), { supervise: true, openSubjects });
    defer(running.close);
    const worker = await startWorking(running);
    defer(worker.stop);
    ready();
    log('info', `stopping on ${await Promise.race([stopSignal(), worker.failed])}`);
  });
}

/** Does something, and closes in the end what it opened on the way, the last first. */
async function closing(work: (defer: (close: () => Promise<void>) => void) => Promise<void>): Promise<void> {
  const closers: (() => Promise<void>)[] = [];
  try {
    await work((close) => closers.push(close));
  } finally {
    for (const close of closers.reverse()) await close();
  }
}

/** Loaded with the first message: whoever speaks no MCP need not wait for it. */
function lateMcp(warn: Warn): ServeMcp {
  let made: Promise<ServeMcp> | null = null;
  const make = async () => {
    const [{ mcpOverHttp }, { default: packageFile }] = await Promise.all([
      import('./mcp/http.ts'),
      import('../package.json', { with: { type: 'json' } }),
    ]);
    return mcpOverHttp(packageFile.version, (error) => warn('an MCP message was not served', error));
  };
  return async (request, call) => {
    made ??= make();
    return (await made)(request, call);
  };
}

const speakMcp: Installation['speakMcp'] = async (client) => {
  const [{ speakMcpOverStdio }, { default: packageFile }] = await Promise.all([
    import('./mcp/server.ts'),
    import('../package.json', { with: { type: 'json' } }),
  ]);
  const stopped = new AbortController();
  void stopSignal().then(() => stopped.abort());
  await speakMcpOverStdio(client, packageFile.version, stopped.signal);
};

const junit: Installation['junit'] = async (result) => (await import('./files/junit.ts')).junitReport(result);

/** Resolves with the first signal that asks this process to stop. A further one ends it as signals do, apart from that
 *  of a closed terminal, which comes more than once. */
function stopSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    for (const signal of endingSignals)
      process[signal === 'SIGHUP' ? 'on' : 'once'](signal, () => resolve(signal));
  });
}

interface OpenedLog {
  log: Log;
  warn: Warn;
  /** Knows the secrets that this process was started with. */
  redaction: Redaction;
}

interface StartingDatabase extends OpenedLog {
  home: string;
  /** null: `DATABASE_URL` names another one. */
  embedded: { server: Promise<EmbeddedServer> } | null;
}

/** Begins to start the embedded database, so that it comes up while everything else is loaded. */
async function startDatabase(home: string, opened: OpenedLog): Promise<StartingDatabase> {
  if (process.env.DATABASE_URL) return { home, ...opened, embedded: null };
  const { openEmbedded } = await import('./store/embedded/server.ts');
  const server = openEmbedded({ home, log: (line) => opened.log('info', line) });
  // whoever waits for it hears of a failure; until then it is no unhandled one
  server.catch(() => undefined);
  return { home, ...opened, embedded: { server } };
}

interface RunningProgram {
  program: Program;
  ports: ExecutionPorts;
  running: RunningCases;
  calling: CallingCases;
  /** Where a server of the installation is, for links. */
  address: { url: string };
  warn: Warn;
  log: Log;
  close(): Promise<void>;
}

/** Everything that operations and workers are handed, on the database of this installation. `supervise` is for processes
 *  that go on: they look after the queue. */
async function openProgram(
  starting: StartingDatabase,
  { supervise, openSubjects }: { supervise: boolean; openSubjects: OpenSubjects },
): Promise<RunningProgram> {
  const { home, log, warn } = starting;
  const { rememberOwn, remember, redactFor } = starting.redaction;
  const [
    { access, database, close },
    { createModels },
    { createTools },
    subjects,
    { createSecrets },
    { capPayload },
    { createObserve },
    { openQueue },
    { RunningCases },
    { createCallingCases },
    { createSigner },
    { applyShipped },
    { default: packageFile },
  ] = await Promise.all([
    openStore(starting),
    import('./models/models.ts'),
    import('./tools/gateway.ts'),
    openSubjects(),
    import('./net/secrets.ts'),
    import('./net/payload.ts'),
    import('./store/observe.ts'),
    import('./store/queue.ts'),
    import('./engine/testing/running-cases.ts'),
    import('./api/runs/calling-case.ts'),
    import('./net/signer.ts'),
    import('./api/shipped.ts'),
    import('../package.json', { with: { type: 'json' } }),
  ]);
  const environment = process.env;
  const { systemClock: clock, systemRandom: random } = await import('./net/system-ports.ts');
  const secretKeys = { environment, keyFile: join(home, 'secret-key'), secretSeen: rememberOwn };
  const secrets = createSecrets(secretKeys);
  const fetch = lateGuardedFetch(environment.ASSAY_ALLOW_PRIVATE_NETWORK !== 'off');
  const workspaces = { read: lateProviderSettings(database, clock, warn), secrets };
  const models = createModels({
    environment,
    clock,
    fetch,
    secretSeen: (key, workspaceId) => (workspaceId === null ? rememberOwn(key) : remember(workspaceId, key)),
    redactFor,
    workspaces,
  });
  const running = new RunningCases();
  const calling = createCallingCases(createSigner(secretKeys, 'assay case'), running);
  const tools = createTools({
    secrets,
    rememberSecret: remember,
    redactFor,
    fetch,
    clock,
    random,
    environment,
    connectBuiltin: (_server, scope) => connectBuiltin(program, scope, running),
    sentAlong: calling.headersOf,
  });
  const observe = createObserve(database.system);
  let queue: Promise<PgBoss> | null = null;
  const startQueue = async () => {
    const opened = openQueue(access, { supervise });
    opened.on('error', (error) => warn('the queue of lanes has a problem', error));
    return opened.start();
  };
  let accounts: Promise<Accounts> | null = null;
  const address = { url: 'http://127.0.0.1:4710' };
  const startAccounts = async () => {
    const [{ openAccounts }, { listOf, publicUrl }, { signInSecret }] = await Promise.all([
      import('./api/access/sign-in/accounts.ts'),
      import('./http/public-url.ts'),
      import('./net/sign-in-secret.ts'),
    ]);
    return openAccounts({
      database,
      secret: signInSecret(secretKeys),
      newId: random.id,
      trustedProxies: listOf(environment.ASSAY_TRUSTED_PROXIES),
      publicUrl: () => publicUrl(environment.ASSAY_PUBLIC_URL) ?? address.url,
      report: warn,
    });
  };
  const program: Program = {
    database,
    queue: () => {
      queue ??= startQueue();
      return queue;
    },
    accounts: () => {
      accounts ??= startAccounts();
      return accounts;
    },
    tools,
    secrets,
    clock,
    random,
  };
  try {
    await applyShipped(program, { version: packageFile.version, report: warn });
  } catch (error) {
    await close();
    throw error;
  }
  return {
    program,
    running,
    calling,
    address,
    ports: { subjects, models, tools, observe, redactFor, capPayload, clock, random },
    warn,
    log,
    close: async () => {
      await tools.close();
      await (await queue)?.stop({ graceful: false });
      await close();
    },
  };
}

/** This product's own tools, for a test case or (`scope` null) only to be listed. */
async function connectBuiltin(program: Program, scope: ToolScope | null, running: RunningCases) {
  const [{ serveInMemory }, { caseClient }, { default: packageFile }] = await Promise.all([
    import('./mcp/in-memory.ts'),
    import('./api/runs/case-client.ts'),
    import('../package.json', { with: { type: 'json' } }),
  ]);
  return serveInMemory(scope && caseClient(program, scope, running), packageFile.version);
}

/** What workspaces say of providers of models, for whoever opens one that has a provider. As all that a case needs it
 *  waits for a database that is away. */
function lateProviderSettings(database: Database, clock: Clock, report: Warn): ReadProviderSettings {
  const { signal } = new AbortController();
  return async (workspaceId, provider) => {
    const [{ readProviderSettings }, { retrying }] = await Promise.all([
      import('./store/settings.ts'),
      import('./engine/testing/worker/database-trouble.ts'),
    ]);
    const read = () => readProviderSettings(database.system, workspaceId, provider);
    return retrying(read, { clock, report }, signal, 'The settings of models cannot be read');
  };
}

/** The clients behind it take time to load, and the offline model needs none. */
function lateGuardedFetch(allowPrivate: boolean): Fetch {
  let made: Promise<Fetch> | null = null;
  const make = async () => (await import('./net/guarded-fetch.ts')).createGuardedFetch({ allowPrivate });
  return async (input, init) => {
    made ??= make();
    return (await made)(input, init);
  };
}

/** The database that `DATABASE_URL` names, else the embedded one of the data directory; brought up to this program. */
async function openStore({ warn, embedded }: StartingDatabase): Promise<{
  access: DatabaseAccess;
  database: Database;
  close(): Promise<void>;
}> {
  const [{ embeddedAccess, urlAccess }, { openDatabase }, { migrate }] = await Promise.all([
    import('./store/connection.ts'),
    import('./store/database.ts'),
    import('./store/migrate.ts'),
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

async function startWorking({ program, ports, running, warn }: RunningProgram): Promise<Worker> {
  const { startWorker } = await import('./engine/testing/worker/worker.ts');
  return startWorker({
    database: program.database,
    queue: await program.queue(),
    ports,
    running,
    lanes: laneCount(process.env.ASSAY_WORKER_LANES),
    report: warn,
  });
}

function laneCount(setting: string | undefined): number {
  const lanes = Number(setting || 20);
  if (Number.isInteger(lanes) && lanes >= 1 && lanes <= 1000) return lanes;
  const message = 'must be a whole number from 1 to 1000';
  throw new AssayError('invalid_input', `ASSAY_WORKER_LANES ${message}; it is "${setting}".`, [
    { field: 'ASSAY_WORKER_LANES', value: setting, message },
  ]);
}

/** Lines on standard error. */
async function openLog(least: LogLevel): Promise<OpenedLog> {
  const [{ jsonLog }, { createWarn }, { createRedaction }, { ownSecrets }] = await Promise.all([
    import('./http/log.ts'),
    import('./http/warn.ts'),
    import('./net/redaction.ts'),
    import('./net/own-secrets.ts'),
  ]);
  const redaction = createRedaction();
  for (const secret of ownSecrets(process.env)) redaction.rememberOwn(secret);
  const log = jsonLog({
    write: (line) => process.stderr.write(line),
    now: () => new Date(),
    least,
    redact: redaction.redactAll,
  });
  return { log, warn: createWarn(log, () => performance.now()), redaction };
}
