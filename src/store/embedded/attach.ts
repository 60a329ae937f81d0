import { setTimeout as sleep } from 'node:timers/promises';
import { type Account, serverAccount } from './account.ts';
import { type PostgresPackage, prepareBinaries } from './binaries.ts';
import { inspectCluster } from './cluster-files.ts';
import { locateDataDirectory } from './data-directory.ts';
import { EmbeddedDatabaseError } from './errors.ts';
import { knownCause } from './failure.ts';
import { initialise } from './initialise.ts';
import { findPostmaster, type Postmaster } from './postmaster.ts';
import { announce, type Presence } from './presence.ts';
import { explainRefusal, unreachable } from './refusal.ts';
import { readServerLog } from './server-log.ts';
import { problemOfSocketDirectory, socketPort } from './socket-directory.ts';
import { startServer } from './start.ts';
import { prepareSystemDirectory } from './system-directory.ts';

/** What it takes to bring up the server of a home. */
export interface Site {
  /** Its real path. */
  home: string;
  current: Account;
  installed: PostgresPackage;
  fsync: boolean;
  log: (line: string) => void;
}

/** A running server, and our announcement that we use it. */
export interface Attachment {
  dataDirectory: string;
  socketDirectory: string;
  pid: number;
  /** False when it ran already, or another process started it. */
  started: boolean;
  presence: Presence;
}

const lookAgainAfterMs = 5;
const startAgainAfterMs = 50;
/** A server that says it is ready and refuses connections for so long cannot be reached at all. */
const reachableWithinMs = 15_000;

/** Joins the server of a home, starting it when none runs, and making its data directory when there is none and
 *  `mayCreate`. Any number of processes may do so at once, or while another one stops it: each looks again until it
 *  stands beside the others. Throws an AbortError when `signal` fires, else an EmbeddedDatabaseError. */
export async function attach(site: Site, signal: AbortSignal, mayCreate: boolean): Promise<Attachment> {
  let startedPid: number | undefined;
  let refusedSince: number | undefined;
  for (;;) {
    signal.throwIfAborted();
    const dataDirectory = await locateDataDirectory(site.home, site.current);
    const owner = await inspectCluster(dataDirectory, site.current, site.installed.major);
    const running = owner && (await findPostmaster(dataDirectory));
    if (!owner) {
      if (!mayCreate) throw missing(dataDirectory);
      await create(site, dataDirectory);
    } else if (!running) {
      startedPid = await start(site, dataDirectory, owner, signal);
    } else if (running.status === 'ready') {
      const presence = await join(dataDirectory, owner, running, startedPid === running.pid);
      if (presence) {
        const { pid, socketDirectory } = running;
        return { dataDirectory, socketDirectory, pid, started: startedPid === pid, presence };
      }
      refusedSince ??= performance.now();
      const refusedFor = performance.now() - refusedSince;
      if (refusedFor > reachableWithinMs) {
        if (startedPid === running.pid) endBroken(running);
        const known = knownCause(dataDirectory, await readServerLog(site.home));
        throw known ?? unreachable(running, 'it refuses connections');
      }
      // each refusal costs the server a process and a line in its log
      await sleep(refusedFor < 100 ? lookAgainAfterMs : 100, undefined, { signal });
    } else {
      refusedSince = undefined;
      await sleep(lookAgainAfterMs, undefined, { signal });
    }
  }
}

async function create(site: Site, dataDirectory: string): Promise<void> {
  const account = serverAccount(site.current);
  const binaries = await prepareBinaries(site.installed, account, () => copiesOf(site));
  const began = performance.now();
  if (await initialise(dataDirectory, account, binaries, site.fsync)) {
    site.log(`made the database in ${dataDirectory} (${Math.round(performance.now() - began)} ms)`);
  }
}

async function start(
  site: Site,
  dataDirectory: string,
  account: Account,
  signal: AbortSignal,
): Promise<number | undefined> {
  const binaries = await prepareBinaries(site.installed, account, () => copiesOf(site));
  const began = performance.now();
  const outcome = await startServer(site.home, { path: dataDirectory, account }, binaries, {
    fsync: site.fsync,
    signal,
  });
  if ('pid' in outcome) {
    site.log(
      `started PostgreSQL on ${dataDirectory}, pid ${outcome.pid} (${Math.round(performance.now() - began)} ms)`,
    );
    return outcome.pid;
  }
  site.log(`gave way to another PostgreSQL on ${dataDirectory}: ${outcome.gaveWay}`);
  await sleep(startAgainAfterMs, undefined, { signal });
  return undefined;
}

function copiesOf(site: Site): Promise<string> {
  return site.current.uid === 0 ? prepareSystemDirectory() : Promise.resolve(site.home);
}

/** Connects to a server that says it is ready. Returns undefined when it is not any more. */
async function join(
  dataDirectory: string,
  owner: Account,
  running: Postmaster,
  ours: boolean,
): Promise<Presence | undefined> {
  const problem = await problemOfSocketDirectory(running.socketDirectory, owner);
  if (problem !== undefined)
    throw unreachable(running, `its socket directory ${running.socketDirectory}: ${problem}`);
  let presence: Presence | undefined;
  try {
    presence = await announce({
      host: running.socketDirectory,
      port: socketPort,
      user: 'assay_owner',
      database: 'assay',
    });
  } catch (error) {
    if (ours) endBroken(running);
    throw explainRefusal(error, dataDirectory, running);
  }
  // whoever stops a server marks it before its own announcement ends: one that we got after that is worth nothing
  const now = presence && (await findPostmaster(dataDirectory));
  if (now?.pid === running.pid && now.status === 'ready') return presence;
  await presence?.close();
  return undefined;
}

/** A server that cannot use its files may never finish an orderly shutdown. What was committed is in its log. */
function endBroken(running: Postmaster): void {
  process.kill(running.pid, 'SIGQUIT');
}

function missing(dataDirectory: string): EmbeddedDatabaseError {
  return new EmbeddedDatabaseError(
    'data_missing',
    `The data directory ${dataDirectory} vanished while it was in use. Put it back, or end this program and start it again for an empty database.`,
  );
}
