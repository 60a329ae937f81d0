import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { operatorTokenFile, type RunningServer, runningServerFile } from '../contract/installation.ts';

const answersWithinMs = 2_000;

/** The server that runs on a data directory, with the token of its owner; null where none runs. A file that a killed
 *  server left behind counts for nothing: its process must live and answer. */
export async function findRunningServer(home: string): Promise<(RunningServer & { token: string }) | null> {
  const server = await readServerFile(join(home, runningServerFile));
  if (server === null || !isAlive(server.pid) || !(await answers(server.url))) return null;
  const token = await readFile(join(home, operatorTokenFile), 'utf8');
  return { ...server, token: token.trim() };
}

async function readServerFile(path: string): Promise<RunningServer | null> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as RunningServer;
  } catch (error) {
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // it lives and belongs to somebody else
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

async function answers(url: string): Promise<boolean> {
  try {
    const response = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(answersWithinMs) });
    return response.ok && ((await response.json()) as { status?: unknown }).status === 'ok';
  } catch {
    return false;
  }
}
