import type { ParentCase } from '../../store/inner-run.ts';

/** An attempt at a case that this process is at. */
export interface RunningCase extends ParentCase {
  /** Does something that waits for other lanes, which may have the place of this one meanwhile. */
  whileWaiting<Result>(work: () => Promise<Result>): Promise<Result>;
}

/** The cases that this process is at, by the ids of their executions: a call that comes from inside of one knows no more
 *  than that. */
export class RunningCases {
  readonly #byExecution = new Map<string, RunningCase>();

  /** The answer ends it. */
  enter(executionId: string, running: RunningCase): () => void {
    this.#byExecution.set(executionId, running);
    return () => this.#byExecution.delete(executionId);
  }

  of(executionId: string): RunningCase | undefined {
    return this.#byExecution.get(executionId);
  }
}
