import type { Reason } from '../../../core/reasons.ts';
import type { EvaluationRow } from '../../../store/evaluation.ts';
import type { ExecutionRow } from '../../../store/execution.ts';
import type { StoredPayload } from '../../../store/payload.ts';
import type { CaseEnd, CaseRecord } from '../../../store/record.ts';
import type { ClaimedCase } from '../../../store/test-result.ts';
import type { TraceSink } from '../../execution/emitter.ts';

/** What one attempt at a case has to say and the database does not know yet. */
export interface Unrecorded {
  record: CaseRecord;
  payloads: StoredPayload[];
}

/** Ends an execution that is being recorded, with its verdict where it has one. */
export type ExecutionUpdate = Pick<
  ExecutionRow,
  'status' | 'endReason' | 'inputTokens' | 'outputTokens' | 'costUsd' | 'finishedAt' | 'durationMs'
> &
  Partial<EvaluationRow>;

interface Recording {
  row: ExecutionRow & Partial<EvaluationRow>;
  texts: string[];
  /** How many of the texts were taken. */
  taken: number;
  rowChanged: boolean;
}

/** Collects the executions of one attempt at a case. `onChange` hears of every change, `urgent` for those that nothing
 *  further follows. */
export class CaseRecording {
  readonly claimed: ClaimedCase;
  /** Aborts what is still going on when the recorder learns that the case is not ours any more. */
  readonly controller: AbortController;
  readonly #onChange: (urgent: boolean) => void;
  readonly #now: () => number;
  readonly #executions: Recording[] = [];
  #payloads: StoredPayload[] = [];
  #result: CaseEnd | null = null;
  #unrecordable: Reason | null = null;
  /** Since when an event waits, in monotonic milliseconds. */
  waitingSince: number | null = null;
  /** Nothing further follows. */
  over = false;

  constructor(
    claimed: ClaimedCase,
    controller: AbortController,
    now: () => number,
    onChange: (urgent: boolean) => void,
  ) {
    this.claimed = claimed;
    this.controller = controller;
    this.#now = now;
    this.#onChange = onChange;
  }

  startExecution(row: ExecutionRow): TraceSink & {
    end(update: ExecutionUpdate): void;
  } {
    const recording: Recording = { row, texts: [], taken: 0, rowChanged: true };
    this.#executions.push(recording);
    return {
      event: (text) => {
        recording.texts.push(text);
        this.waitingSince ??= this.#now();
        this.#onChange(false);
      },
      payload: (reference, text) => {
        this.#payloads.push({ workspaceId: this.claimed.workspaceId, reference, text });
      },
      end: (update) => {
        recording.row = { ...recording.row, ...update };
        recording.rowChanged = true;
        this.waitingSince ??= this.#now();
        this.#onChange(false);
      },
    };
  }

  /** The case is done, or (`null`) given up for somebody else to run again. */
  end(result: CaseEnd | null): void {
    this.#result = result;
    this.over = true;
    this.#onChange(true);
  }

  /** A part of the trace could not be stored, so no verdict may stand on it, not even one that is given already and not
   *  recorded. */
  spoil(reason: Reason): void {
    this.#unrecordable = reason;
    for (const recording of this.#executions) recording.rowChanged = true;
  }

  /** Takes what is not recorded yet. */
  take(): Unrecorded {
    const unrecorded = this.#takeRest();
    return this.#unrecordable === null ? unrecorded : withoutVerdict(unrecorded.record, this.#unrecordable);
  }

  #takeRest(): Unrecorded {
    const { workspaceId, id, attempt } = this.claimed;
    const changed = this.#executions.filter(
      ({ rowChanged, texts, taken }) => rowChanged || taken < texts.length,
    );
    const record: CaseRecord = {
      workspaceId,
      id,
      attempt,
      executions: changed.filter(({ rowChanged }) => rowChanged).map(({ row }) => row),
      batches: changed.flatMap(({ row, texts, taken }) =>
        taken === texts.length
          ? []
          : {
              executionId: row.id,
              resultId: id,
              firstSeq: taken + 1,
              events: `[${texts.slice(taken).join(',')}]`,
            },
      ),
      result: this.#result,
    };
    const payloads = this.#payloads;
    for (const recording of changed) {
      recording.taken = recording.texts.length;
      recording.rowChanged = false;
    }
    this.#payloads = [];
    this.waitingSince = null;
    return { record, payloads };
  }
}

/** Neither the rest of the trace nor what was made of it. */
function withoutVerdict({ executions, result, ...record }: CaseRecord, because: Reason): Unrecorded {
  const { reason, reasonCode, reasonParams } = because;
  const error = { outcome: 'error' as const, reason };
  const evaluation = {
    ...error,
    reasonCode,
    reasonParams: JSON.stringify(reasonParams),
    checks: '[]',
    evaluator: null,
  };
  return {
    record: {
      ...record,
      executions: executions.map((row) => (row.evaluationId === undefined ? row : { ...row, ...evaluation })),
      batches: [],
      result: result && { ...result, ...error },
    },
    payloads: [],
  };
}
