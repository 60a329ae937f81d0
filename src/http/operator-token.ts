import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { link, readFile, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { operatorTokenFile } from '../contract/installation.ts';
import { AssayError } from '../core/errors.ts';

const shortestToken = 32;

/** The token of whoever owns the installation, from its file in the data directory; made at the first start, readable by
 *  the owner alone. */
export async function openOperatorToken(home: string): Promise<string> {
  const path = join(home, operatorTokenFile);
  const made = `${path}.${randomBytes(6).toString('hex')}`;
  await writeFile(made, `assay_${randomBytes(32).toString('base64url')}\n`, { mode: 0o600 });
  try {
    // by its name only when it is complete, and never in place of one that is there
    await link(made, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    await unlink(made);
  }
  const token = (await readFile(path, 'utf8')).trim();
  if (token.length < shortestToken) {
    throw new AssayError(
      'unavailable',
      `The operator token in ${path} is damaged. Delete the file and start again.`,
    );
  }
  return token;
}

/** Tells the operator token from every other text. */
export function tokenCheck(operatorToken: string): (token: string) => boolean {
  const expected = digest(operatorToken);
  return (token) => timingSafeEqual(digest(token), expected);
}

/** Of equal length whatever the text, so that comparing tells nothing about it. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
