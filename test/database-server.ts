import { spawn } from 'node:child_process';
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
  cleanUpAfterKill(home);
  project.provide('databaseHome', home);
  return () => removeHome(home);
}

/** A test run that is killed tears nothing down, and its server would run for ever: a shell that waits for the end of
 *  this process, by the end of its input, does it then. */
function cleanUpAfterKill(home: string): void {
  const script =
    'cat > /dev/null; pid=$(head -n 1 "$0/pg/postmaster.pid") && kill -INT "$pid" && sleep 2; rm -rf "$0"';
  spawn('sh', ['-c', script, home], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] }).unref();
}
