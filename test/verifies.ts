import { isRequirementId, type RequirementId } from './requirements.ts';

/**
 * The title of a test that proves one to three requirements: `test(verifies('reads as a sentence', 'M31'), …)`.
 * Throws on an id that does not exist, on one that is named twice, and on more than three.
 */
export function verifies(title: string, ...ids: [RequirementId, RequirementId?, RequirementId?]): string {
  const problem = problemOfIds(ids.filter((id) => id !== undefined));
  if (problem) throw new Error(`"${title}" ${problem}`);
  return `${title} [${ids.join(' ')}]`;
}

/** Why a test may not cite these ids. */
export function problemOfIds(ids: readonly string[]): string | undefined {
  if (ids.length === 0) return 'cites no requirement';
  if (ids.length > 3)
    return `cites ${ids.length} requirements (${ids.join(', ')}); a test proves three at most`;
  const unknown = ids.find((id) => !isRequirementId(id));
  if (unknown !== undefined) return `cites ${unknown}, which test/requirements.ts does not list`;
  if (new Set(ids).size < ids.length) return `cites one requirement twice (${ids.join(', ')})`;
  return undefined;
}
