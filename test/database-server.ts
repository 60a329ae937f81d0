import type { TestProject } from 'vitest/node';
import { removeHome, temporaryHome } from './temporary-home.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The home of the one embedded server that every test file shares: see `testDatabase`. */
    databaseHome: string;
  }
}

/** Provides a home for the test run, and ends its server afterwards. The server itself starts with the first file that
 *  asks for a database, so that tests which need none do not wait for it. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const home = await temporaryHome();
  project.provide('databaseHome', home);
  return () => removeHome(home);
}
