/** Names are compared by their beginning only, so that no long name can make the comparison slow. */
const comparedLength = 120;

/** The known name with the smallest edit distance to `name` (upper and lower case are the same here), the first of
 *  several equally near ones; null where nothing is known. */
export function closestName(name: string, known: Iterable<string>): string | null {
  const wanted = name.slice(0, comparedLength).toLowerCase();
  let closest: string | null = null;
  let least = Number.POSITIVE_INFINITY;
  for (const candidate of known) {
    const distance = editDistance(wanted, candidate.slice(0, comparedLength).toLowerCase());
    if (distance < least) {
      closest = candidate;
      least = distance;
    }
  }
  return closest;
}

/** Least number of insertions, deletions and replacements of one UTF-16 unit that turn `from` into `to`. */
function editDistance(from: string, to: string): number {
  let previous = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row];
    let left = row;
    for (let column = 1; column <= to.length; column += 1) {
      const diagonal = previous[column - 1] as number;
      const replaced = from[row - 1] === to[column - 1] ? diagonal : diagonal + 1;
      left = Math.min(replaced, (previous[column] as number) + 1, left + 1);
      current.push(left);
    }
    previous = current;
  }
  return previous[to.length] as number;
}
