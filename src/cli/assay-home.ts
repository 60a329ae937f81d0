import { join, resolve } from 'node:path';

/** Where the installation keeps its data: `ASSAY_HOME`, else the platform's folder for data of programs. */
export function assayHome(env: NodeJS.ProcessEnv, platform: NodeJS.Platform, personHome: string): string {
  if (env.ASSAY_HOME) return resolve(env.ASSAY_HOME);
  if (platform === 'darwin') return join(personHome, 'Library', 'Application Support', 'assay');
  return join(env.XDG_DATA_HOME || join(personHome, '.local', 'share'), 'assay');
}
