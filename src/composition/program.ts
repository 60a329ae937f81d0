import { join } from 'node:path';
import type { PgBoss } from 'pg-boss';
import type { Accounts } from '../api/access/sign-in/accounts.ts';
import type { Program } from '../api/call/context.ts';
import type { CallingCases } from '../api/runs/calling-case.ts';
import type { Clock } from '../core/ports.ts';
import type { ReadProviderSettings } from '../core/provider-settings.ts';
import type { ExecutionPorts } from '../engine/execution/execute.ts';
import type { RunningCases } from '../engine/testing/running-cases.ts';
import type { Log } from '../http/log.ts';
import type { Warn } from '../http/warn.ts';
import type { Fetch } from '../net/guarded-fetch.ts';
import type { Database } from '../store/database.ts';
import { connectBuiltin } from './mcp.ts';
import { openStore, type StartingDatabase } from './store.ts';

/** Loads what can be talked to, one subject for each kind of agent. */
export type OpenSubjects = () => Promise<ExecutionPorts['subjects']>;

export interface RunningProgram {
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
export async function openProgram(
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
    import('../models/models.ts'),
    import('../tools/gateway.ts'),
    openSubjects(),
    import('../net/secrets.ts'),
    import('../net/payload.ts'),
    import('../store/observe.ts'),
    import('../store/queue.ts'),
    import('../engine/testing/running-cases.ts'),
    import('../api/runs/calling-case.ts'),
    import('../net/signer.ts'),
    import('../api/shipped.ts'),
    import('../../package.json', { with: { type: 'json' } }),
  ]);
  const environment = process.env;
  const { systemClock: clock, systemRandom: random } = await import('../net/system-ports.ts');
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
      import('../api/access/sign-in/accounts.ts'),
      import('../http/public-url.ts'),
      import('../net/sign-in-secret.ts'),
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

/** What workspaces say of providers of models, for whoever opens one that has a provider. As all that a case needs it
 *  waits for a database that is away. */
function lateProviderSettings(database: Database, clock: Clock, report: Warn): ReadProviderSettings {
  const { signal } = new AbortController();
  return async (workspaceId, provider) => {
    const [{ readProviderSettings }, { retrying }] = await Promise.all([
      import('../store/settings.ts'),
      import('../engine/testing/worker/database-trouble.ts'),
    ]);
    const read = () => readProviderSettings(database.system, workspaceId, provider);
    return retrying(read, { clock, report }, signal, 'The settings of models cannot be read');
  };
}

/** The clients behind it take time to load, and the offline model needs none. */
function lateGuardedFetch(allowPrivate: boolean): Fetch {
  let made: Promise<Fetch> | null = null;
  const make = async () => (await import('../net/guarded-fetch.ts')).createGuardedFetch({ allowPrivate });
  return async (input, init) => {
    made ??= make();
    return (await made)(input, init);
  };
}
