import { randomBytes } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { CommandError } from './failure.ts';
import type { Surroundings } from './surroundings.ts';

/** What `assay login` keeps: a server, and the token for it. */
export interface Login {
  url: string;
  token: string;
}

type Place = Pick<Surroundings, 'env' | 'personHome'>;

/** The file in which it is kept, readable by its owner alone. */
export function loginPath({ env, personHome }: Place): string {
  return join(env.XDG_CONFIG_HOME || join(personHome, '.config'), 'assay', 'login.json');
}

/** What was kept, with where the token is from; null: nothing. Throws CommandError where the file is damaged. */
export async function readLogin(place: Place): Promise<(Login & { tokenPlace: string }) | null> {
  const path = loginPath(place);
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null;
    throw new CommandError(`${path} cannot be read (${error.code}).`);
  });
  if (text === null) return null;
  const { url, token } = parsed(text);
  if (typeof url === 'string' && typeof token === 'string') return { url, token, tokenPlace: path };
  throw new CommandError(`${path} is damaged. Run "assay login" again, or "assay logout".`);
}

function parsed(text: string): { url?: unknown; token?: unknown } {
  try {
    return (JSON.parse(text) as object | null) ?? {};
  } catch {
    return {};
  }
}

/** Keeps it in place of what was kept before. */
export async function writeLogin(place: Place, login: Login): Promise<void> {
  const path = loginPath(place);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const written = `${path}.${randomBytes(6).toString('hex')}`;
  await writeFile(written, `${JSON.stringify(login, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
  await rename(written, path);
}

/** Forgets it, whatever state it is in. */
export function removeLogin(place: Place): Promise<void> {
  return rm(loginPath(place), { force: true });
}
