import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type EmbeddedServer, openEmbedded } from '../../src/store/embedded/server.ts';
import { removeHome, temporaryHome } from '../temporary-home.ts';

export const root = dirname(dirname(import.meta.dirname));
export const exampleFile = join(root, 'examples', 'files.yaml');
/** The command line with agents that do what the request says: `wait MS then echo TEXT`. */
export const scriptedAssay = join(import.meta.dirname, 'scripted-assay.ts');
/** One suite for each way a run can end. */
export const suitesFile = join(import.meta.dirname, 'suites.yaml');

export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** A data directory of its own, a folder with files for the example, and the real command line on both. */
export interface Installation {
  home: string;
  /** Holds a.txt ("alpha") and notes/b.md ("beta"). */
  files: string;
  /** Runs a command to its end. `env` is added to a scrubbed environment. */
  assay(args: string[], options?: RunOptions): Promise<Ended>;
  /** Starts a command that goes on by itself. */
  start(args: string[], options?: RunOptions): Started;
  /** Ends everything that was started here, and removes it. */
  remove(): Promise<void>;
}

export interface RunOptions {
  /** What is started; the launcher of the product unless told otherwise. */
  script?: string;
  env?: NodeJS.ProcessEnv;
  stdin?: string;
  /** A script of the shell in which the command is `"$0" "$@"`; without one it is started directly. */
  shell?: string;
}

export interface Started {
  process: ChildProcess;
  ended: Promise<Ended>;
  /** Resolves with what stands on a stream as soon as it matches. */
  said(stream: 'stdout' | 'stderr', pattern: RegExp): Promise<RegExpMatchArray>;
}

/** `keepDatabase` holds the embedded database open, so that commands need not start it each. */
export async function installation({ keepDatabase = true } = {}): Promise<Installation> {
  const home = await temporaryHome();
  const files = await realpath(await mkdtemp(join(tmpdir(), 'assay-files-')));
  await mkdir(join(files, 'notes'));
  await writeFile(join(files, 'a.txt'), 'alpha');
  await writeFile(join(files, 'notes', 'b.md'), 'beta');
  const database: EmbeddedServer | null = keepDatabase ? await openEmbedded({ home, fsync: false }) : null;
  const running = new Set<Started>();

  function start(
    args: string[],
    { script = join(root, 'bin', 'assay'), env = {}, stdin = '', shell }: RunOptions = {},
  ): Started {
    const command = [process.execPath, script, ...args] as const;
    const [file, ...rest] = shell === undefined ? command : ['/bin/sh', '-c', shell, ...command];
    const child = spawn(file, rest, {
      cwd: root,
      env: {
        PATH: process.env.PATH,
        HOME: process.env.HOME,
        ASSAY_HOME: home,
        // where a login of whoever runs the tests is not found
        XDG_CONFIG_HOME: join(home, 'config'),
        FILES_DIR: files,
        NODE: process.execPath,
        UNRULY: join(root, 'test', 'servers', 'unruly.ts'),
        ...env,
      },
    });
    const started = follow(child);
    running.add(started);
    started.ended.then(() => running.delete(started));
    child.stdin.end(stdin);
    return started;
  }

  return {
    home,
    files,
    start,
    assay: (args, options) => start(args, options).ended,
    remove: async () => {
      for (const { process: child, ended } of running) {
        child.kill('SIGTERM');
        await ended;
      }
      await database?.stop();
      await removeHome(home);
      await rm(files, { recursive: true, force: true });
    },
  };
}

function follow(child: ReturnType<typeof spawn>): Started {
  const text = { stdout: '', stderr: '' };
  const listeners = new Set<() => void>();
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream]?.setEncoding('utf8').on('data', (chunk: string) => {
      text[stream] += chunk;
      for (const listener of listeners) listener();
    });
  }
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, ...text }));
  });
  return {
    process: child,
    ended,
    said: (stream, pattern) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const match = text[stream].match(pattern);
          if (match === null) return;
          listeners.delete(look);
          resolve(match);
        };
        listeners.add(look);
        ended.then(({ code, stdout, stderr }) =>
          reject(new Error(`ended with ${code} before it said ${pattern}:\n${stdout}\n${stderr}`)),
        );
        look();
      }),
  };
}
