import type { Clock } from '../../../core/ports.ts';
import { reason } from '../../../core/reasons.ts';
import type { Database } from '../../../store/database.ts';
import { storePayload } from '../../../store/payload.ts';
import { type CaseRecord, recordCases } from '../../../store/record.ts';
import { storableText } from '../../../store/storable-text.ts';
import type { ClaimedCase } from '../../../store/test-result.ts';
import { endRun } from '../../../store/test-run.ts';
import { messageOf, retrying } from '../worker/database-trouble.ts';
import { inRounds } from '../worker/rounds.ts';
import { LeaseLost, RunCancelled } from '../worker/stops.ts';
import { CaseRecording, type Unrecorded } from './case-recording.ts';

/** How long an event of an unfinished execution waits for others, and how often that is looked at; together they stay
 *  well below the 200 ms within which a trace is visible. */
const eventWaitMs = 75;
const eventLookMs = 75;

/** At most so much in one statement. */
const batchCases = 1_000;
const batchCharacters = 16_000_000;

/** With more than this many cases waiting to be recorded, no further one starts. */
const backlogLimit = 500;

export interface RecorderOptions {
  database: Database;
  clock: Clock;
  workerId: string;
  /** The case is recorded, or not ours any more. */
  onSettled(claimed: ClaimedCase): void;
  report(message: string, error: unknown): void;
}

/** Writes what the cases of this process have to say, many in one statement, the next as soon as the last one ends:
 *  whatever piles up meanwhile is the next batch. */
export class Recorder {
  readonly #options: RecorderOptions;
  readonly #recordings = new Set<CaseRecording>();
  readonly #over = new Set<CaseRecording>();
  readonly #endings = new Set<Promise<void>>();
  readonly #given = new AbortController();
  readonly #write = inRounds(
    () => this.#nextBatch(),
    (batch) => this.#writeBatch(batch),
  );
  #looking = false;
  #written = Promise.withResolvers<void>();

  constructor(options: RecorderOptions) {
    this.#options = options;
  }

  open(claimed: ClaimedCase, controller: AbortController): CaseRecording {
    const { clock } = this.#options;
    const recording: CaseRecording = new CaseRecording(
      claimed,
      controller,
      () => clock.monotonicMs(),
      (urgent) => {
        if (!urgent) return this.#lookLater();
        this.#over.add(recording);
        void this.#write();
      },
    );
    this.#recordings.add(recording);
    return recording;
  }

  /** Resolves when there is room for a further case. */
  async room(): Promise<void> {
    while (this.#over.size > backlogLimit) await this.#written.promise;
  }

  /** Resolves when everything is recorded and every run that is complete has ended. */
  async drain(): Promise<void> {
    await this.#write();
    await Promise.all(this.#endings);
  }

  /** Gives up what cannot be recorded because the database is away. */
  close(): void {
    this.#given.abort();
  }

  #lookLater(): void {
    if (this.#looking) return;
    this.#looking = true;
    const { clock } = this.#options;
    clock.sleep(eventLookMs, this.#given.signal).then(
      () => {
        this.#looking = false;
        const waits = [...this.#recordings].some(({ waitingSince }) => waitingSince !== null);
        if (waits) this.#lookLater();
        void this.#write();
      },
      () => {},
    );
  }

  #nextBatch(): Batch | null {
    const longAgo = this.#options.clock.monotonicMs() - eventWaitMs;
    const aged = [...this.#recordings].filter(
      ({ waitingSince, over }) => !over && waitingSince !== null && waitingSince <= longAgo,
    );
    const batch: Batch = [];
    let characters = 0;
    for (const recording of [...this.#over, ...aged]) {
      if (batch.length >= batchCases || characters >= batchCharacters) break;
      const unrecorded = recording.take();
      characters += unrecorded.record.batches.reduce((sum, { events }) => sum + events.length, 0);
      batch.push({ recording, unrecorded, last: recording.over });
      this.#over.delete(recording);
    }
    return batch.length > 0 ? batch : null;
  }

  async #writeBatch(batch: Batch): Promise<void> {
    await this.#writeParts(batch);
    this.#written.resolve();
    this.#written = Promise.withResolvers();
  }

  async #writeParts(batch: Batch): Promise<void> {
    try {
      await retrying(
        () => this.#writeOnce(batch),
        this.#options,
        this.#given.signal,
        'Results cannot be recorded',
      );
    } catch (error) {
      if (this.#given.signal.aborted) return;
      // the database refuses something in it for good: find out in which case
      const middle = Math.ceil(batch.length / 2);
      if (batch.length > 1) {
        await this.#writeParts(batch.slice(0, middle));
        await this.#writeParts(batch.slice(middle));
      } else {
        for (const each of batch) await this.#writeUnrecordable(each, error);
      }
    }
  }

  async #writeOnce(batch: Batch): Promise<void> {
    const { database, workerId } = this.#options;
    for (const payload of batch.flatMap(({ unrecorded }) => unrecorded.payloads)) {
      await storePayload(database.systemPool, payload);
    }
    const { live, complete } = await recordCases(
      database.systemPool,
      workerId,
      batch.map(({ unrecorded }) => unrecorded.record),
    );
    for (const key of complete) {
      const ending = endRun(database.system, key)
        .catch((error) =>
          this.#options.report(`Run ${key.runId} could not be ended; it will be tried again`, error),
        )
        .finally(() => this.#endings.delete(ending));
      this.#endings.add(ending);
    }
    for (const { recording, last } of batch) {
      const ours = live.get(recording.claimed.id);
      if (ours === undefined) recording.controller.abort(new LeaseLost('Somebody else has this case.'));
      if (ours === false) recording.controller.abort(new RunCancelled());
      if (last || ours === undefined) this.#settle(recording);
    }
  }

  /** The trace of this case cannot be stored, so it says no more than that. */
  async #writeUnrecordable({ recording, last }: Batch[number], error: unknown): Promise<void> {
    const because = reason('trace_not_stored', { message: storableText(messageOf(error)) });
    this.#options.report(because.reason, error);
    recording.spoil(because);
    if (!last) return;
    const { record } = recording.take();
    // what the database refuses may be a part of its conversations
    if (await this.#writeSpoiled(recording, record)) return;
    if (await this.#writeSpoiled(recording, { ...record, executions: [] })) return;
    this.#settle(recording);
  }

  /** False where that is refused too. */
  async #writeSpoiled(recording: CaseRecording, record: CaseRecord): Promise<boolean> {
    const bare = { recording, unrecorded: { record, payloads: [] }, last: true };
    try {
      await retrying(
        () => this.#writeOnce([bare]),
        this.#options,
        this.#given.signal,
        'Results cannot be recorded',
      );
      return true;
    } catch (error) {
      this.#options.report(`Case ${recording.claimed.id} could not be recorded`, error);
      return false;
    }
  }

  #settle(recording: CaseRecording): void {
    this.#recordings.delete(recording);
    this.#options.onSettled(recording.claimed);
  }
}

/** `last`: nothing further follows of the case. */
type Batch = { recording: CaseRecording; unrecorded: Unrecorded; last: boolean }[];
