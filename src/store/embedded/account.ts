import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { EmbeddedDatabaseError } from './errors.ts';

/** A user of this machine, by number. */
export interface Account {
  uid: number;
  gid: number;
}

/** PostgreSQL refuses to run as root; this is `nobody` on Linux. */
const nobody: Account = { uid: 65534, gid: 65534 };

/** Who this process is. Throws `no_binaries` where there are no user numbers (Windows). */
export function currentAccount(): Account {
  if (!process.getuid || !process.getgid) {
    throw new EmbeddedDatabaseError(
      'no_binaries',
      `The embedded database does not run on ${process.platform}. Set DATABASE_URL to your own PostgreSQL.`,
    );
  }
  return { uid: process.getuid(), gid: process.getgid() };
}

/** Who runs a new server: this user, or `nobody` when this user is root. */
export function serverAccount(current: Account): Account {
  return current.uid === 0 ? nobody : current;
}

/** How to spawn a process as `account`: numbers only where they differ, since only root may give them. */
export function spawnAs(account: Account): { uid?: number; gid?: number } {
  return process.getuid?.() === account.uid ? {} : { uid: account.uid, gid: account.gid };
}

const permissionBits = { read: 4, pass: 1, execute: 5 };

/** Whether `account` may use `path` that way and pass every directory above it, by their modes. */
export async function canReach(
  path: string,
  account: Account,
  use: keyof typeof permissionBits,
): Promise<boolean> {
  if (!(await allows(path, account, permissionBits[use]))) return false;
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    if (!(await allows(folder, account, permissionBits.pass))) return false;
    if (folder === dirname(folder)) return true;
  }
}

async function allows(path: string, account: Account, wanted: number): Promise<boolean> {
  const { mode, uid, gid } = await stat(path);
  const shift = uid === account.uid ? 6 : gid === account.gid ? 3 : 0;
  return ((mode >> shift) & wanted) === wanted;
}
