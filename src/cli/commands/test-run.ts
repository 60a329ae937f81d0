import { access, constants, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { exitCodeFromRate, exitCodes, runExitCode } from '../../contract/exit-code.ts';
import type { Run } from '../command.ts';
import type { Connection } from '../connection.ts';
import { UsageError } from '../failure.ts';
import { resultReport } from '../result-report.ts';
import { type Patience, patience } from '../riding-out.ts';
import { waitForRun } from '../wait-for-run.ts';

export interface TestRunOptions {
  suite: string;
  agentVersion: string;
  parallel: number;
  wait?: boolean;
  junit?: string;
  minSuccessRate?: number;
  reconnect?: number;
}

export const testRun: Run<TestRunOptions> = async ({ surroundings, output, connect }, _args, options) => {
  const needsWait = (['junit', 'minSuccessRate', 'reconnect'] as const).find(
    (name) => options[name] !== undefined,
  );
  if (options.wait !== true && needsWait !== undefined) {
    const flag = needsWait.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    throw new UsageError(`--${flag} needs --wait: without it the command ends before there is a result.`);
  }
  if (options.junit !== undefined) await requireWritable(options.junit);
  const connection = await connect();
  const started = await connection.client.testRuns.start({
    testSuiteId: options.suite,
    ...versionTarget(options.agentVersion),
    parallel: options.parallel,
  });
  if (options.wait !== true) {
    output.result(started, () => started.id);
    if (!(await hasWorker(connection, started.id))) {
      output.note(
        'Nobody works on runs, so this one stays queued. Start a worker with "assay serve" or "assay worker".',
      );
    }
    return exitCodes.passed;
  }

  await connection.work();
  const result = await waitForRun(connection, started.id, surroundings, patienceOf(options));
  output.result(result, () => resultReport(result, output.colors));
  if (options.junit !== undefined) {
    await writeFile(options.junit, await surroundings.installation.junit(result));
  }
  return options.minSuccessRate === undefined
    ? runExitCode(result)
    : exitCodeFromRate(result, options.minSuccessRate);
};

function patienceOf({ reconnect }: TestRunOptions): Patience {
  return reconnect === undefined ? patience : { ...patience, forMs: reconnect * 1_000 };
}

/** A report that cannot be written is no reason to run a suite first. */
async function requireWritable(path: string): Promise<void> {
  const refuse = (why: string) => {
    throw new UsageError(`--junit ${path} cannot be written: ${why}.`);
  };
  const folder = dirname(path);
  if (!(await found(folder))?.isDirectory()) return refuse(`there is no folder ${folder}`);
  const there = await found(path);
  if (there?.isDirectory()) return refuse('it is a folder');
  await access(there === null ? folder : path, constants.W_OK).catch(() => refuse('you may not write there'));
}

async function found(path: string) {
  try {
    return await stat(path);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (['ENOENT', 'ENOTDIR'].includes(code)) return null;
    throw new UsageError(`--junit ${path} cannot be written: ${code}.`);
  }
}

function versionTarget(version: string) {
  return version === 'configured' || version === 'latest'
    ? { agentVersionTarget: version as 'configured' | 'latest' }
    : { agentVersionTarget: 'specific' as const, agentVersionId: version };
}

async function hasWorker({ client }: Connection, testRunId: string): Promise<boolean> {
  for await (const event of await client.testRuns.progress({ testRunId, results: 'none' })) {
    if (event.type === 'progress') return event.workers > 0 || event.status !== 'queued';
  }
  return true;
}
