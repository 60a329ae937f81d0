import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { operatorTokenFile, type RunningServer, runningServerFile } from '../contract/installation.ts';
import { serverProof } from '../contract/server-proof.ts';

const answersWithinMs = 2_000;

/** The server that runs on a data directory, with the token of its owner; null where none runs. A file that a killed
 *  server left behind counts for nothing: its process must live, and what answers must prove that it knows the token,
 *  which is not sent to anything else that took the address since. */
export async function findRunningServer(home: string): Promise<(RunningServer & { token: string }) | null> {
  const server = await readServerFile(join(home, runningServerFile));
  if (server === null || !isAlive(server.pid)) return null;
  const token = (await readIfThere(join(home, operatorTokenFile)))?.trim();
  if (!token || !(await proves(server.url, token))) return null;
  return { ...server, token };
}

async function readServerFile(path: string): Promise<RunningServer | null> {
  const text = await readIfThere(path);
  try {
    return text === null ? null : (JSON.parse(text) as RunningServer);
  } catch {
    // cut short by a crash
    return null;
  }
}

async function readIfThere(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    // nothing can stand at such a path; whoever goes on to use the directory says what is wrong with it
    if (['ENOENT', 'ENOTDIR', 'ENAMETOOLONG', 'ELOOP'].includes((error as NodeJS.ErrnoException).code ?? ''))
      return null;
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

async function proves(url: string, token: string): Promise<boolean> {
  const challenge = randomBytes(32).toString('hex');
  try {
    const response = await fetch(`${url}/healthz?challenge=${challenge}`, {
      signal: AbortSignal.timeout(answersWithinMs),
    });
    const { proof } = (await response.json()) as { proof?: unknown };
    return response.ok && proof === serverProof(token, challenge);
  } catch {
    return false;
  }
}
