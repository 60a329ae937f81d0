import { envelopeOf } from '../contract/client.ts';
import type { RunResult } from '../contract/result.ts';
import type { Connection } from './connection.ts';
import { CommandError } from './failure.ts';
import { openProgress } from './run-progress.ts';
import type { Surroundings } from './surroundings.ts';

/** Follows a run to its end and gives its result. The first Ctrl-C cancels the run, the second one quits at once. */
export async function waitForRun(
  connection: Connection,
  testRunId: string,
  surroundings: Surroundings,
): Promise<RunResult> {
  const { client } = connection;
  const view = await openProgress(surroundings);
  let cancelling: Promise<unknown> | null = null;
  const stopListening = surroundings.onInterrupt(() => {
    if (cancelling !== null) return surroundings.quit(130);
    surroundings.stderr.write('\nCancelling the run. Ctrl-C again quits at once.\n');
    cancelling = client.testRuns.cancel({ testRunId });
    // a refusal is reported where the result is awaited
    cancelling.catch(() => undefined);
  });
  try {
    for await (const progress of await client.testRuns.progress({ testRunId })) view.update(progress);
    await cancelling;
    const result = await client.testRuns.get({ testRunId });
    if (result.status === 'finished' || result.status === 'cancelled') return result;
    throw new Error(`it ended while the run was ${result.status}`);
  } catch (error) {
    if (connection.server === null || envelopeOf(error) !== null) throw error;
    const why = error instanceof Error ? error.message : String(error);
    throw new CommandError(
      `The connection to ${connection.server} was lost: ${why}. The run goes on; read it with "assay test result ${testRunId}".`,
    );
  } finally {
    view.stop();
    stopListening();
  }
}
