import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../../core/errors.ts';
import type { DatabaseRole } from '../connection.ts';
import { type Attachment, attach, type Site } from './attach.ts';
import { EmbeddedDatabaseError } from './errors.ts';
import { findPostmaster } from './postmaster.ts';
import { isPassing } from './presence.ts';
import { removeSocketDirectory, socketPort } from './socket-directory.ts';

/** A crash recovery may take its time; nothing else comes near this. */
const attachWithinMs = 120_000;
const stopWithinMs = 60_000;
const lookEveryMs = 5;
const recoverEveryMs = 1_000;

/** Keeps this process attached to the server of a home until it is told to stop. */
export class Supervisor {
  readonly started: boolean;
  readonly #site: Site;
  readonly #closing = new AbortController();
  #attachment: Attachment;
  #recovery: Promise<void> = Promise.resolve();
  #stopped: Promise<boolean> | undefined;

  static async open(site: Site): Promise<Supervisor> {
    return new Supervisor(site, await attachInTime(site, true));
  }

  private constructor(site: Site, attachment: Attachment) {
    this.started = attachment.started;
    this.#site = site;
    this.#attachment = attachment;
    if (!attachment.started) site.log(`adopted the running PostgreSQL, pid ${attachment.pid}`);
    this.#watch();
  }

  get dataDirectory(): string {
    return this.#attachment.dataDirectory;
  }

  get socketDirectory(): string {
    return this.#attachment.socketDirectory;
  }

  connection(role: DatabaseRole, database = 'assay') {
    return { host: this.socketDirectory, port: socketPort, user: `assay_${role}`, database };
  }

  async stop({ wait = false }: { wait?: boolean } = {}): Promise<boolean> {
    this.#stopped ??= this.#leave();
    const stopped = await this.#stopped;
    if (stopped && wait) {
      await this.#waitForEnd();
      await removeSocketDirectory(this.socketDirectory);
    }
    return stopped;
  }

  #watch(): void {
    void this.#attachment.presence.ended.then(() => {
      if (!this.#closing.signal.aborted) this.#recovery = this.#recover();
    });
  }

  /** Brings the server back, or joins it again after one of its processes crashed and it dropped everybody. */
  async #recover(): Promise<void> {
    this.#site.log('the connection to the embedded database was lost');
    while (!this.#closing.signal.aborted) {
      try {
        this.#attachment = await attachInTime(this.#site, false, this.#closing.signal);
        this.#watch();
        return;
      } catch (error) {
        if (this.#closing.signal.aborted) return;
        this.#site.log(messageOf(error));
        const { signal } = this.#closing;
        // rejects when we are told to stop, which ends the loop
        await sleep(recoverEveryMs, undefined, { ref: false, signal }).catch(() => undefined);
      }
    }
  }

  async #leave(): Promise<boolean> {
    this.#closing.abort();
    await this.#recovery;
    const { presence, dataDirectory } = this.#attachment;
    try {
      if (!(await presence.isLast())) {
        await presence.close();
        this.#site.log('left the embedded database running: others use it');
        return false;
      }
    } catch (error) {
      if (isPassing(error)) return false;
      throw error;
    }
    const running = await findPostmaster(dataDirectory);
    if (running) process.kill(running.pid, 'SIGINT');
    else await presence.close();
    // until the server itself ends our announcement, nobody can begin to use it and be cut off
    await presence.ended;
    return running !== undefined;
  }

  async #waitForEnd(): Promise<void> {
    const { pid, dataDirectory } = this.#attachment;
    const deadline = performance.now() + stopWithinMs;
    while ((await findPostmaster(dataDirectory))?.pid === pid) {
      if (performance.now() > deadline) {
        throw new EmbeddedDatabaseError(
          'timeout',
          `The embedded PostgreSQL (pid ${pid}) did not stop within ${stopWithinMs / 1000} s. See pg.log in ${this.#site.home}.`,
        );
      }
      await sleep(lookEveryMs);
    }
  }
}

async function attachInTime(site: Site, mayCreate: boolean, closing?: AbortSignal): Promise<Attachment> {
  const deadline = AbortSignal.timeout(attachWithinMs);
  try {
    return await attach(site, closing ? AbortSignal.any([deadline, closing]) : deadline, mayCreate);
  } catch (error) {
    if (!deadline.aborted || error instanceof EmbeddedDatabaseError) throw error;
    throw new EmbeddedDatabaseError(
      'timeout',
      `The embedded PostgreSQL of ${site.home} was not ready within ${attachWithinMs / 1000} s. After a crash it may need longer: see pg.log there, and try again.`,
      { cause: error },
    );
  }
}
