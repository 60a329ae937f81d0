/** Any JSON value. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

/** How deep lists and objects may stand in each other in what somebody sends, inclusive. */
export const deepestNesting = 100;

/** JSON with sorted keys and no spaces: the same value always gives the same text, so it can be hashed and compared. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    inner !== null && typeof inner === 'object' && !Array.isArray(inner)
      ? Object.fromEntries(
          Object.entries(inner).sort(([left], [right]) => (left < right ? -1 : left > right ? 1 : 0)),
        )
      : inner,
  );
}
