import { setImmediate } from 'node:timers/promises';
import { CommanderError } from 'commander';
import { exitCodes } from '../contract/exit-code.ts';
import { usageExitCode } from './command.ts';
import { buildProgram } from './program.ts';
import type { Surroundings } from './surroundings.ts';

/** Runs one command line (without node and script) and gives its exit code. Never ends the process itself. */
export async function runCommandLine(argv: readonly string[], surroundings: Surroundings): Promise<number> {
  const { stdout, stderr } = surroundings;
  let isLost = false;
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    // a reader that has seen enough, such as `head`, is no failure
    if (error.code === 'EPIPE' || isLost) return;
    isLost = true;
    stderr.write(`assay: Standard output cannot be written: ${error.message}.\n`);
  });
  // there is no place left to say that nothing can be said
  stderr.on('error', () => undefined);
  const exitCode = await parsedExitCode(argv, surroundings);
  await written(stdout);
  return isLost && exitCode !== exitCodes.cancelled ? exitCodes.notJudged : exitCode;
}

async function parsedExitCode(argv: readonly string[], surroundings: Surroundings): Promise<number> {
  let exitCode: number = exitCodes.passed;
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

/** Resolves when what was written has reached the system, or failed to. */
async function written(stream: NodeJS.WriteStream): Promise<void> {
  if (stream.writableLength > 0) await new Promise<void>((resolve) => stream.write('', () => resolve()));
  // the failure of a write is told after it
  await setImmediate();
}
