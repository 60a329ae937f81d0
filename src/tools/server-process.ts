import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import type { Redact } from '../core/ports.ts';

export interface ServerProcess {
  readonly stdin: ChildProcessWithoutNullStreams['stdin'];
  /** Resolves when the process has ended and all it wrote has been read. */
  readonly ended: Promise<void>;
  /** How it ended and the last it said on its error output, without secrets. Waits a moment where it is just about to
   *  end. */
  lastWords(redact: Redact): Promise<string>;
  /** Adds a line to what it said. */
  heard(line: string): void;
  /** Asks it to end by closing its input, then by SIGTERM, then ends it and everything it started. */
  end(): Promise<void>;
}

/** How long a server may take to end by itself once its input is closed, and once it was told to, in milliseconds. */
const patience = { input: 300, signal: 2_000, output: 500 };
/** What is kept of what a server says, and what is shown of it, in characters and lines. */
const kept = 100_000;
const shown = { length: 2_000, lines: 5 };

/** Starts a program in a process group of its own, so that what a launcher such as npx starts ends with it. Rejects
 *  with the system's error where it cannot be started. */
export function startProcess(
  command: string,
  args: string[],
  environment: Record<string, string>,
  onOutput: (chunk: Buffer) => void,
): Promise<ServerProcess> {
  const child = spawn(command, args, { env: environment, stdio: 'pipe', detached: true, windowsHide: true });
  let heard = '';
  let exit: string | null = null;
  const hear = (text: string) => {
    heard += text;
    if (heard.length <= kept) return;
    // Cut at a line, of which a secret has no part that would not be recognised.
    const rest = heard.slice(-kept);
    heard = rest.slice(rest.indexOf('\n') + 1 || rest.length);
  };
  child.stdout.on('data', onOutput);
  child.stderr.setEncoding('utf8').on('data', hear);
  // A server that ends while it is written to is reported by its end.
  child.stdin.on('error', () => {});

  const exited = new Promise<void>((resolve) => {
    child.once('exit', (code, signal) => {
      exit = signal === null ? `exit code ${code}` : `signal ${signal}`;
      signalGroup(child, 'SIGKILL');
      // A process that left the group may still hold the pipes.
      setTimeout(() => {
        child.stdout.destroy();
        child.stderr.destroy();
      }, patience.output).unref();
      resolve();
    });
  });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));

  const running: ServerProcess = {
    stdin: child.stdin,
    ended,
    heard: (line) => hear(`${line}\n`),
    async lastWords(redact) {
      await within(ended, patience.output);
      const words = redact(heard.toWellFormed()).trim().split('\n').slice(-shown.lines).join('\n');
      const how = exit === null ? '' : `It ended with ${exit}. `;
      return words === ''
        ? how.trim()
        : `${how}Its last output: ${words.slice(-shown.length).toWellFormed().trim()}`;
    },
    async end() {
      child.stdin.end();
      if (!(await within(exited, patience.input))) signalGroup(child, 'SIGTERM');
      if (!(await within(exited, patience.signal))) signalGroup(child, 'SIGKILL');
      await within(ended, patience.signal);
    },
  };
  return new Promise((resolve, reject) => {
    child.once('spawn', () => resolve(running));
    child.once('error', reject);
  });
}

function signalGroup(child: ChildProcessWithoutNullStreams, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch (error) {
    // ESRCH: nothing is left of the group. EPERM: what is left is ended but not yet collected (macOS says so).
    if (!['ESRCH', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}

function within(done: Promise<void>, milliseconds: number): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), milliseconds);
    void done.then(() => {
      clearTimeout(timer);
      resolve(true);
    });
  });
}
