import { spawn } from 'node:child_process';
import { type Account, spawnAs } from './account.ts';
import { EmbeddedDatabaseError } from './errors.ts';

/** A scrubbed environment: PG* variables of the caller must not steer our server, and its messages stay English. */
export function serverEnvironment(): Record<string, string> {
  return { PATH: process.env.PATH ?? '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };
}

/** Runs a program of PostgreSQL to its end as `account`. `output` is stdout and stderr as they came. */
export function run(
  account: Account,
  file: string,
  args: string[],
  input = '',
): Promise<{ exitCode: number | null; output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { cwd: '/', env: serverEnvironment(), ...spawnAs(account) });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    // a program that ends early closes its input: how it ended says more than EPIPE
    child.stdin.on('error', () => undefined).end(input);
    child.on('error', (error) => reject(doesNotRun(file, account, error)));
    child.on('close', (exitCode) => resolve({ exitCode, output }));
  });
}

/** The operating system refused to execute `file`. */
export function doesNotRun(file: string, account: Account, cause: Error): EmbeddedDatabaseError {
  return new EmbeddedDatabaseError(
    'no_binaries',
    `${file} does not run on this machine as user ${account.uid} (${cause.message}). The shipped PostgreSQL needs glibc on Linux and, started by root, a user ${account.uid}; otherwise set DATABASE_URL to your own PostgreSQL.`,
    { cause },
  );
}
