import type { Json } from '../../core/json.ts';

/** A request cut into what it is made of. A `value` is something that can be an argument as it stands: quoted text, a
 *  JSON object or list, a number, or a bare path, address or identifier. Offsets point into the request. */
export type Token = { start: number; end: number } & (
  | { kind: 'word'; text: string }
  | { kind: 'mark'; text: string }
  | { kind: 'value'; form: 'quoted' | 'json' | 'number' | 'bare'; value: Json }
);

const closers: Record<string, string> = {
  '"': '"',
  '“': '”',
  '„': '“”',
  '«': '»',
  '‘': '’',
  "'": "'",
  '`': '`',
};

/** Cuts a request into tokens. Text in quotes is never looked into. */
export function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  // A quote that nothing closes is not looked for again: the rest of the text was searched.
  const unclosed = new Set<string>();
  let at = 0;
  while (at < text.length) {
    const blank = blankAt(text, at);
    if (blank !== '') {
      if (blank.includes('\n')) tokens.push({ kind: 'mark', text: '\n', start: at, end: at + blank.length });
      at += blank.length;
      continue;
    }
    const found = quotedAt(text, at, unclosed) ?? jsonAt(text, at) ?? runAt(text, at);
    tokens.push(...found);
    at = found.at(-1)?.end ?? at + 1;
  }
  return tokens;
}

function blankAt(text: string, start: number): string {
  let end = start;
  while (end < text.length && /\s/.test(text.charAt(end))) end++;
  return text.slice(start, end);
}

function quotedAt(text: string, start: number, unclosed: Set<string>): Token[] | null {
  const open = text.charAt(start);
  const closing = closers[open];
  if (closing === undefined || unclosed.has(open)) return null;
  // An apostrophe is a quote only where a word cannot go on: "what's" holds none.
  if (open === "'" && start > 0 && !/[\s([{:=,]/.test(text.charAt(start - 1))) return null;
  let fallback = -1;
  for (let at = start + 1; at < text.length; at++) {
    if (!closing.includes(text.charAt(at))) continue;
    if (open === "'" && at + 1 < text.length && !/[\s.,;:!?)\]}]/.test(text.charAt(at + 1))) continue;
    if (text.charAt(at - 1) !== '\\') return [quotedToken(text, start, at)];
    if (fallback < 0) fallback = at;
  }
  // A path such as "C:\dir\" ends in a backslash that escapes nothing.
  if (fallback >= 0) return [quotedToken(text, start, fallback)];
  unclosed.add(open);
  return null;
}

function quotedToken(text: string, start: number, close: number): Token {
  const open = text.charAt(start);
  const value = text.slice(start + 1, close).replaceAll(`\\${open}`, open);
  return { kind: 'value', form: 'quoted', value, start, end: close + 1 };
}

const deepestJson = 64;

function jsonAt(text: string, start: number): Token[] | null {
  const open = text.charAt(start);
  if (open !== '{' && open !== '[') return null;
  let depth = 0;
  let inString = false;
  for (let at = start; at < text.length && depth <= deepestJson; at++) {
    const char = text.charAt(at);
    if (inString) {
      if (char === '\\') at++;
      else if (char === '"') inString = false;
    } else if (char === '"') inString = true;
    else if (char === '{' || char === '[') depth++;
    else if (char === '}' || char === ']') depth--;
    if (depth > 0) continue;
    try {
      const value = JSON.parse(text.slice(start, at + 1)) as Json;
      return [{ kind: 'value', form: 'json', value, start, end: at + 1 }];
    } catch {
      return null; // not JSON: a bracket of ordinary writing
    }
  }
  return null;
}

/** One run of characters without spaces: a word, number or bare value, and the marks around it. */
function runAt(text: string, start: number): Token[] {
  const first = text.charAt(start);
  if (/[,;()[\]{}=:!?"“”„«»‘’'`]/.test(first)) {
    return [{ kind: 'mark', text: first, start, end: start + 1 }];
  }
  const stop = /^[^\s=]*:\/\/\S*/.test(text.slice(start, start + 40))
    ? /[\s,;()[\]{}"“”„«»`]/
    : /[\s,;()[\]{}="“”„«»`]/;
  let end = start + 1;
  while (end < text.length && !stop.test(text.charAt(end))) end++;
  let body = text.slice(start, end);
  const tail = /[.:!?'’]+$/.exec(body)?.[0] ?? '';
  if (tail !== '' && tail.length < body.length) body = body.slice(0, -tail.length);
  const bodyEnd = start + body.length;
  const tokens = [{ ...classified(body), start, end: bodyEnd }];
  const marks = body.length === end - start ? [] : [...tail];
  return [
    ...tokens,
    ...marks.map((mark, index) => ({
      kind: 'mark' as const,
      text: mark,
      start: bodyEnd + index,
      end: bodyEnd + index + 1,
    })),
  ];
}

function classified(
  body: string,
):
  | { kind: 'word'; text: string }
  | { kind: 'mark'; text: string }
  | { kind: 'value'; form: 'number' | 'bare'; value: Json } {
  if (/^[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i.test(body))
    return { kind: 'value', form: 'number', value: Number(body) };
  if (!/[\p{L}\p{N}]/u.test(body) && !/[/\\]/.test(body)) return { kind: 'mark', text: body };
  const isBare =
    /[/\\@]/.test(body) || // a path or an address
    (/^[\p{L}\p{N}_-]+(?:\.[\p{L}\p{N}_-]+)+$/u.test(body) && !/^(?:e\.g|i\.e)$/i.test(body)) || // a file or host name
    /^\*/.test(body) || // a pattern
    (/\d/.test(body) && /^[\p{L}\p{N}_:.+-]+$/u.test(body)); // a date, an identifier
  return isBare ? { kind: 'value', form: 'bare', value: body } : { kind: 'word', text: body };
}
