/** Stands for a short text of its own in each conversation of each run, so that what a case creates does not collide. */
export const runPlaceholder = '{{run}}';

/** A copy of a JSON-like value with `{{run}}` replaced in every string of it; keys stay as they are. */
export function fillRun<Value>(value: Value, run: string): Value {
  return fill(value, run) as Value;
}

function fill(value: unknown, run: string): unknown {
  if (typeof value === 'string') return value.replaceAll(runPlaceholder, () => run);
  if (Array.isArray(value)) return value.map((item) => fill(item, run));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, fill(inner, run)]));
}

/** What `{{run}}` stands for in the `ordinal`-th conversation (from 1) of one case in a run with this token: `k3x9qa`,
 *  `k3x9qa-2`, …. A conversation restarted after a crash counts as a further one. */
export function runText(token: string, ordinal: number): string {
  if (!Number.isInteger(ordinal) || ordinal < 1) {
    throw new RangeError(`conversations are counted from 1, not ${ordinal}`);
  }
  return ordinal === 1 ? token : `${token}-${ordinal}`;
}
