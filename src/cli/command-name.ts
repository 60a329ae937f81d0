import { relative } from 'node:path';
import type { Surroundings } from './surroundings.ts';

/** How to call this program again: by the path of the launcher as seen from the current folder, where it lies there,
 *  else by the name that it has on the search path. */
export function commandName({ script, folder }: Pick<Surroundings, 'script' | 'folder'>): string {
  const path = relative(folder, script);
  return path !== '' && !path.startsWith('..') && !path.includes('node_modules') ? path : 'assay';
}
