import { createHash } from 'node:crypto';

const longestName = 64;
const hashLength = 8;

/**
 * The same names as every model provider accepts them: [a-zA-Z0-9_-]{1,64}, no two alike. A name that is too long, or
 * would equal another one, ends in a piece of its own hash, so that it does not depend on what else is offered.
 */
export function modelNames(names: string[]): string[] {
  const plain = names.map((name) => name.replaceAll('/', '__').replaceAll(/[^a-zA-Z0-9_-]/g, '_'));
  return plain.map((name, index) => {
    const alone = plain.indexOf(name) === index && plain.lastIndexOf(name) === index;
    if (alone && name.length > 0 && name.length <= longestName) return name;
    const hash = createHash('sha256')
      .update(names[index] ?? '')
      .digest('hex')
      .slice(0, hashLength);
    return `${name.slice(0, longestName - hashLength - 1)}_${hash}`;
  });
}
