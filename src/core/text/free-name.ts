import { nameLimit } from '../documents/name.ts';

/** The name where it is free, else the first free one of `name (2)`, `name (3)`, …, each within the longest that a name
 *  may be. */
export async function freeName(name: string, isTaken: (name: string) => Promise<boolean>): Promise<string> {
  let candidate = name;
  for (let count = 2; await isTaken(candidate); count++) {
    const ending = ` (${count})`;
    candidate = `${cut(name, nameLimit - ending.length)}${ending}`;
  }
  return candidate;
}

/** Never between the two halves of a character. */
function cut(name: string, most: number): string {
  const short = name.slice(0, most);
  return (short.isWellFormed() ? short : short.slice(0, -1)).trimEnd();
}
