import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Caller, localCaller } from '../api/caller.ts';
import { operatorTokenFile } from '../contract/installation.ts';
import { AssayError } from '../core/errors.ts';

/** Finds out who sends a request from its `authorization` header; null: nobody known. */
export type Authenticate = (authorization: string | undefined) => Caller | null;

/** The token of whoever owns the installation, from its file in the data directory; made at the first start, readable by
 *  the owner alone. */
export async function openOperatorToken(home: string): Promise<string> {
  const path = join(home, operatorTokenFile);
  try {
    const file = await open(path, 'wx', 0o600);
    try {
      await file.writeFile(`assay_${randomBytes(32).toString('base64url')}\n`);
    } finally {
      await file.close();
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  const token = (await readFile(path, 'utf8')).trim();
  if (token.length < 32) {
    throw new AssayError(
      'unavailable',
      `The operator token in ${path} is damaged. Delete the file and start again.`,
    );
  }
  return token;
}

export function bearerOf(operatorToken: string): Authenticate {
  const expected = digest(operatorToken);
  return (authorization) => {
    const token = /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];
    return token !== undefined && timingSafeEqual(digest(token), expected) ? localCaller : null;
  };
}

/** Of equal length whatever the text, so that comparing tells nothing about it. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
