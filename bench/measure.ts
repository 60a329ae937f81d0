import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** One whole process: seconds on the wall, and seconds of processor time of it and its children. */
export interface Figures {
  wall: number;
  user: number;
  system: number;
  exitCode: number;
}

/** Runs a command through the shell's own accounting (`times`), so that every child it waited for is counted. */
export function measure(
  command: string[],
  options: { cwd: string; environment: Record<string, string> },
): Promise<Figures> {
  const started = performance.now();
  const shell = spawn('sh', ['-c', '"$@" >&2; code=$?; times; exit $code', 'sh', ...command], {
    cwd: options.cwd,
    env: { ...process.env, ...options.environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let accounting = '';
  let output = '';
  shell.stdout.on('data', (chunk) => {
    accounting += chunk;
  });
  shell.stderr.on('data', (chunk) => {
    output = `${output}${chunk}`.slice(-4000);
  });
  return new Promise((resolve, reject) => {
    shell.on('error', reject);
    shell.on('close', (code) => {
      const wall = (performance.now() - started) / 1000;
      const children = accounting.trim().split('\n').at(-1) ?? '';
      const [user = 0, system = 0] = [...children.matchAll(/(\d+)m([\d.]+)s/g)].map(
        ([, minutes, seconds]) => Number(minutes) * 60 + Number(seconds),
      );
      if (code !== 0) {
        reject(new Error(`${command.join(' ')} ended with exit code ${code}:\n${output}`));
        return;
      }
      resolve({ wall, user, system, exitCode: code ?? -1 });
    });
  });
}

export function median(values: number[]): number {
  const sorted = [...values].sort((left, right) => left - right);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** Processor seconds that a process and all its present and past children have used so far (Linux). */
export function processTreeSeconds(root: number): { user: number; system: number } {
  const ticksPerSecond = 100;
  const stats = new Map<number, { parent: number; user: number; system: number }>();
  for (const entry of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const text = readFileSync(`/proc/${entry}/stat`, 'utf8');
      const fields = text
        .slice(text.lastIndexOf(')') + 2)
        .split(' ')
        .map(Number);
      const field = (position: number) => fields[position] ?? 0;
      stats.set(Number(entry), {
        parent: field(1),
        user: (field(11) + field(13)) / ticksPerSecond,
        system: (field(12) + field(14)) / ticksPerSecond,
      });
    } catch {}
  }
  const sum = { user: 0, system: 0 };
  for (const [pid, own] of stats) {
    let ancestor: number | undefined = pid;
    while (ancestor !== undefined && ancestor !== root) ancestor = stats.get(ancestor)?.parent;
    if (ancestor === root) {
      sum.user += own.user;
      sum.system += own.system;
    }
  }
  return sum;
}
