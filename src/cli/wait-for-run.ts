import { envelopeOf } from '../contract/client.ts';
import type { RunResult } from '../contract/result.ts';
import type { Connection } from './connection.ts';
import { CommandError, describeFailure } from './failure.ts';
import { ridingOut } from './riding-out.ts';
import { openProgress } from './run-progress.ts';
import type { Surroundings } from './surroundings.ts';

/** Follows a run to its end and gives its result, also over a restart of the database. The first Ctrl-C, or a terminal
 *  that is closed, cancels the run; a further Ctrl-C quits at once. */
export async function waitForRun(
  connection: Connection,
  testRunId: string,
  surroundings: Surroundings,
): Promise<RunResult> {
  const { client } = connection;
  const view = await openProgress(surroundings);
  let cancelling: Promise<unknown> | null = null;
  const stopListening = surroundings.onInterrupt((signal) => {
    if (cancelling !== null) {
      // a terminal that is closed says so more than once, and nobody is impatient there
      if (signal !== 'SIGHUP') surroundings.quit(130);
      return;
    }
    surroundings.stderr.write('\nCancelling the run. Ctrl-C again quits at once.\n');
    cancelling = ridingOut(() => client.testRuns.cancel({ testRunId }));
    // a refusal is reported where the result is awaited
    cancelling.catch(() => undefined);
  });
  try {
    await ridingOut(async (heard) => {
      for await (const progress of await client.testRuns.progress({ testRunId })) {
        heard();
        view.update(progress);
      }
    });
    await cancelling;
    const result = await ridingOut(() => client.testRuns.get({ testRunId }));
    if (result.status === 'finished' || result.status === 'cancelled') return result;
    throw new Error(`it ended while the run was ${result.status}`);
  } catch (error) {
    const code = envelopeOf(error)?.code ?? null;
    if (code !== null && code !== 'unavailable' && code !== 'internal') throw error;
    const lost =
      connection.server !== null && code === null
        ? `The connection to ${connection.server} was lost`
        : `The run ${testRunId} can no longer be followed`;
    const goesOn = connection.server === null ? 'goes on as soon as a worker takes it' : 'goes on';
    const why = describeFailure(error).replace(/\.$/, '');
    throw new CommandError(
      `${lost}: ${why}. The run ${goesOn}; read it with "assay test result ${testRunId}".`,
    );
  } finally {
    view.stop();
    stopListening();
  }
}
