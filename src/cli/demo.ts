import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { runExitCode } from '../contract/exit-code.ts';
import type { Run } from './command.ts';
import { commandName } from './command-name.ts';
import { homeOf } from './connection.ts';
import { readObjectFiles } from './object-files.ts';
import { resultReport } from './result-report.ts';
import { waitForRun } from './wait-for-run.ts';

const example = join(import.meta.dirname, '..', '..', 'examples', 'demo');
const suite = 'demo';

/** Applies the shipped example to a fresh folder of its own, runs its suite, and shows what came out and what it took. */
export const demo: Run<object> = async ({ surroundings, output, connect }) => {
  const name = commandName(surroundings);
  const library = join(homeOf(surroundings), 'demo', 'library');
  const timed = stopwatch();

  const connection = await timed('database', () => connect());
  await rm(library, { recursive: true, force: true });
  await cp(join(example, 'library'), library, { recursive: true });
  const files = await readObjectFiles(join(example, 'librarian.yaml'), surroundings.stdin);
  const applied = await timed('apply', () =>
    connection.client.apply({ files, variables: { DEMO_LIBRARY: library } }),
  );
  output.note(`Applied ${applied.objects.length} objects from ${join(example, 'librarian.yaml')}.`);

  const result = await timed('run', async () => {
    await connection.work();
    const started = await connection.client.testRuns.start({ testSuiteId: suite, parallel: 2 });
    return waitForRun(connection, started.id, surroundings);
  });
  output.result(result, () =>
    [
      resultReport(result, output.colors),
      '',
      `Time: ${timed.laps.map(({ name, ms }) => `${name} ${(ms / 1000).toFixed(2)} s`).join(', ')}.`,
      '',
      'What to do next:',
      `  ${name} test result ${result.id} --json   every message, tool call and check of this run`,
      `  ${name} export agent demo-librarian   the agent as a file, to change and apply again`,
      `  ${name} serve   the HTTP API for your CI, on this data`,
    ].join('\n'),
  );
  return runExitCode(result);
};

function stopwatch() {
  const laps: { name: string; ms: number }[] = [];
  const timed = async <Result>(name: string, work: () => Promise<Result>): Promise<Result> => {
    const began = performance.now();
    try {
      return await work();
    } finally {
      laps.push({ name, ms: performance.now() - began });
    }
  };
  return Object.assign(timed, { laps });
}
