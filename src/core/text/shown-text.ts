/** Longest piece of outside text (a name, a message) in one finding, in characters. */
export const shownTextLimit = 300;
/** Most names listed one by one in a finding. */
const listedLimit = 12;

// Controls, line and paragraph separators, and the marks that make a line read in another order than it is stored.
const disguises = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]+/gu;

/** Text that an agent, a server or a person wrote, fit to stand in a finding: one line of well-formed Unicode without
 *  control characters, at most `limit` characters, "…" where it was cut. */
export function shown(text: string, limit = shownTextLimit): string {
  // A character is one or two units, so this much is enough to know whether the text has to be cut.
  const start = text.length > 2 * limit + 2 ? text.slice(0, 2 * limit + 2) : text;
  const characters = Array.from(start.toWellFormed().replace(disguises, ' '));
  return characters.length <= limit ? characters.join('') : `${characters.slice(0, limit - 1).join('')}…`;
}

/** Each different name once, in the order given: `a, b and 3 more`. */
export function shownList(names: readonly string[]): string {
  const different = [...new Set(names)];
  const listed = different.slice(0, listedLimit).map((name) => shown(name, 100));
  const rest = different.length - listed.length;
  return rest === 0 ? listed.join(', ') : `${listed.join(', ')} and ${rest} more`;
}
