import { execFile } from 'node:child_process';
import { readFile, readlink, realpath } from 'node:fs/promises';
import { basename } from 'node:path';
import { promisify } from 'node:util';
import { codeOf } from './errors.ts';

/** Whether there is a process `pid`, whatever it is. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}

/** Whether process `pid` is a PostgreSQL server on `dataDirectory`. A pid alone says nothing: after a crash it may
 *  belong to any other program. */
export function servesDirectory(pid: number, dataDirectory: string): Promise<boolean> {
  return process.platform === 'linux' ? servesByProc(pid, dataDirectory) : servesByPs(pid, dataDirectory);
}

async function servesByProc(pid: number, dataDirectory: string): Promise<boolean> {
  try {
    const program = (await readFile(`/proc/${pid}/cmdline`, 'utf8')).split('\0')[0] ?? '';
    // PostgreSQL works in its data directory, also when that was renamed meanwhile
    return (
      basename(program) === 'postgres' &&
      (await readlink(`/proc/${pid}/cwd`)) === (await realpath(dataDirectory))
    );
  } catch (error) {
    // ESRCH: it ended while we looked
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ESRCH') return false;
    throw error;
  }
}

/** Where there is no /proc: by the command line that `ps` shows. */
export async function servesByPs(pid: number, dataDirectory: string): Promise<boolean> {
  let command: string;
  try {
    command = (await promisify(execFile)('ps', ['-ww', '-o', 'command=', '-p', String(pid)])).stdout.trim();
  } catch (error) {
    // ps ends with 1 when there is no such process
    if (error instanceof Error && 'code' in error && error.code === 1) return false;
    throw error;
  }
  return command.includes('/postgres ') && `${command} `.includes(` -D ${dataDirectory} `);
}
