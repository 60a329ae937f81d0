import { getEventMeta } from '@orpc/client';
import { type AssayClient, envelopeOf } from '../contract/client.ts';
import type { RunResult } from '../contract/result.ts';
import type { Connection } from './connection.ts';
import { CommandError, describeFailure, ServerLost } from './failure.ts';
import { type Patience, patience, ridingOut } from './riding-out.ts';
import { openProgress } from './run-progress.ts';
import type { Surroundings } from './surroundings.ts';

/** Follows a run to its end and gives its result, also over a restart of the database or the server. The first Ctrl-C,
 *  or a terminal that is closed, cancels the run; a further Ctrl-C quits at once. */
export async function waitForRun(
  connection: Connection,
  testRunId: string,
  surroundings: Surroundings,
  { forMs, pauseMs }: Patience = patience,
): Promise<RunResult> {
  const view = await openProgress(surroundings);
  const asking = lastingClient(connection, { forMs, pauseMs }, (error) =>
    view.note(`${sentence(describeFailure(error))} Trying again for ${Math.round(forMs / 1_000)} s.`),
  );
  let cancelling: Promise<unknown> | null = null;
  const stopListening = surroundings.onInterrupt((signal) => {
    if (cancelling !== null) {
      // a terminal that is closed says so more than once, and nobody is impatient there
      if (signal !== 'SIGHUP') surroundings.quit(130);
      return;
    }
    surroundings.stderr.write('\nCancelling the run. Ctrl-C again quits at once.\n');
    cancelling = asking((client) => client.testRuns.cancel({ testRunId }));
    // a refusal is reported where the result is awaited
    cancelling.catch(() => undefined);
  });
  try {
    let seen: { lastEventId?: string } = {};
    await asking(async (client, heard) => {
      let isOver = false;
      for await (const event of await client.testRuns.progress({ testRunId }, seen)) {
        heard();
        const id = getEventMeta(event)?.id;
        if (id !== undefined) seen = { lastEventId: id };
        if (event.type === 'result') view.result(event);
        else {
          view.update(event);
          isOver = event.status === 'finished' || event.status === 'cancelled';
        }
      }
      if (!isOver) throw new ServerLost('What came of the run broke off.');
    });
    await cancelling;
    return await asking((client) => client.testRuns.get({ testRunId }));
  } catch (error) {
    const code = envelopeOf(error)?.code ?? null;
    if (code !== null && code !== 'unavailable' && code !== 'internal') throw error;
    const lost =
      connection.server !== null && code === null
        ? `The connection to ${connection.server} was lost`
        : `The run ${testRunId} can no longer be followed`;
    const goesOn = connection.server === null ? 'goes on as soon as a worker takes it' : 'goes on';
    throw new CommandError(
      `${lost}: ${sentence(describeFailure(error))} The run ${goesOn}; read it with "assay test result ${testRunId}".`,
    );
  } finally {
    view.stop();
    stopListening();
  }
}

/** Asks the server, and whichever is there after it where it was lost meanwhile. */
function lastingClient(
  { client, server, again }: Connection,
  howLong: Patience,
  onTrouble: (error: unknown) => void,
) {
  let current: AssayClient | null = client;
  return <Result>(work: (client: AssayClient, heard: () => void) => Promise<Result>): Promise<Result> =>
    ridingOut(
      async (heard) => {
        current ??= await again();
        try {
          return await work(current, heard);
        } catch (error) {
          const why = server === null ? error : asLost(error, server);
          // what took its address since may be anybody, so whoever is there has to be found again
          if (why instanceof ServerLost) current = null;
          throw why;
        }
      },
      howLong,
      onTrouble,
    );
}

/** An answer that breaks off in the middle is no refusal. */
function asLost(error: unknown, server: string): unknown {
  if (envelopeOf(error) !== null || error instanceof CommandError) return error;
  return new ServerLost(`What ${server} was saying broke off (${describeFailure(error)}).`);
}

function sentence(text: string): string {
  return text.replace(/\.?$/, '.');
}
