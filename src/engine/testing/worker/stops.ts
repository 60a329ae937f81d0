/** Why work was told to stop: reasons of the abort signals that run from the worker to the model and the tool. */
export class RunCancelled extends Error {
  override readonly name = 'RunCancelled';
  readonly code = 'run_cancelled';
  constructor() {
    super('The run was cancelled.');
  }
}

/** The worker is shutting down; whoever takes the case next starts a further attempt. */
export class WorkerStopping extends Error {
  override readonly name = 'WorkerStopping';
  readonly code = 'worker_stopping';
  constructor() {
    super('The worker is shutting down.');
  }
}

/** The worker does not count as alive any more, or somebody else has its case: nothing it does now is recorded. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
  readonly code = 'lease_lost';
  constructor(message: string) {
    super(message);
  }
}
