import type { Redact } from '../core/ports.ts';

/**
 * What somebody outside said, fit to stand in a sentence: without secrets, on one line, at most `limit` characters and
 * "…" where more was said. The order matters: of a secret that was cut or reshaped before, a part would stay.
 */
export function quote(text: string, limit: number, redact: Redact): string {
  const line = redact(text.toWellFormed()).replace(/\s+/g, ' ').trim();
  return line.length <= limit ? line : `${line.slice(0, limit).toWellFormed()}…`;
}
