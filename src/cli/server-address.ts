import { UsageError } from './failure.ts';

/** Throws UsageError where a text is no address of a server. `name` says where the text is from. */
export function requireServerUrl(name: string, url: string): void {
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return;
  throw new UsageError(`${name} must be an http or https address; it is "${url}".`);
}

/** Throws UsageError where a text can be no token, which is not repeated. `name` says where the text is from. */
export function requireTokenText(name: string, token: string): void {
  if (/^[\x21-\x7e]+$/.test(token)) return;
  throw new UsageError(
    `${name} holds characters that no token has, such as a space, a line break or a letter with an accent: set it again.`,
  );
}
