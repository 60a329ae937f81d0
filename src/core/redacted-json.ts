import type { Json } from './json.ts';
import type { Redact } from './ports.ts';

/** The value without its secrets, where keys that are names stay as they are, whatever a secret reads like. The same value
 *  where nothing was taken out. */
export function redactedJson(value: Json, redact: Redact, isName: (key: string) => boolean): Json {
  const clean = redact(value);
  if (clean === value || value === null || typeof value !== 'object') return clean;
  if (Array.isArray(value)) return value.map((item) => redactedJson(item, redact, isName));
  const keys = new Set(Object.keys(value).filter(isName));
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      isName(key) ? key : distinctKey(redact(key), keys),
      redactedJson(inner, redact, isName),
    ]),
  );
}

/** Two keys that hold secrets must not become one: the second would take the place of the first. */
export function distinctKey(key: string, taken: Set<string>): string {
  let name = key;
  for (let count = 2; taken.has(name); count++) name = `${key} (${count})`;
  taken.add(name);
  return name;
}
