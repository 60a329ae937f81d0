import { CommanderError } from 'commander';
import { usageExitCode } from './command.ts';
import { buildProgram } from './program.ts';
import type { Surroundings } from './surroundings.ts';

/** Runs one command line (without node and script) and gives its exit code. Never ends the process itself. */
export async function runCommandLine(argv: readonly string[], surroundings: Surroundings): Promise<number> {
  const { stdout } = surroundings;
  // a reader that has seen enough, such as `head`, is no failure
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
  let exitCode = 0;
  const program = buildProgram(surroundings, (code) => {
    exitCode = code;
  });
  try {
    await program.parseAsync(argv, { from: 'user' });
    return exitCode;
  } catch (error) {
    // help that was asked for ends with 0, every other end of the parser means that it did not understand
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : usageExitCode;
    throw error;
  }
}
