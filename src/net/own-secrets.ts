import { looksSecret } from '../core/documents/variables.ts';

/**
 * The secrets that this process was started with, so that none of them shows, whoever repeats it: a database or a
 * provider in an error, or a program that a server runs. Numbers, and names of files that hold a secret, are none.
 */
export function ownSecrets(environment: Record<string, string | undefined>): string[] {
  return Object.entries(environment).flatMap(([name, value = '']) => {
    if (name === 'DATABASE_URL') return databaseSecrets(value);
    if (!looksSecret(name) || /(file|path|dir)$/i.test(name) || /^\d*$/.test(value)) return [];
    // several keys may stand in ASSAY_SECRET_KEY
    return [value, ...value.split(/[\s,]+/)];
  });
}

/** A password that is the name of its user guards nothing, and would be taken out of ordinary texts. */
function databaseSecrets(address: string): string[] {
  const url = URL.parse(address);
  if (url === null) return [];
  const inQuery = url.searchParams.get('password') ?? '';
  return [...(url.password !== '' && url.password !== url.username ? [address] : []), inQuery];
}
