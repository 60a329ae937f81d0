import { createHash, randomBytes } from 'node:crypto';

/** A text that nobody guesses, for addresses and headers. */
export function newSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** What is stored of such a text. It is too long to be found by trying, so that a plain hash is enough. */
export function secretHash(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url');
}
