import { homedir } from 'node:os';
import type { Surroundings } from './cli/surroundings.ts';
import type { OpenSubjects } from './composition/program.ts';
import { endingSignals } from './composition/signals.ts';

// The composition root: what each command runs on. `composition/` holds the parts and serves this file alone. Whatever
// takes time to load is imported where a command comes to need it.

const ownSubjects: OpenSubjects = async () => ({
  native: (await import('./agents/native/native.ts')).nativeAgent,
});

/** Runs one command line (without node and script) and gives its exit code. */
export async function main(argv: readonly string[], openSubjects = ownSubjects): Promise<number> {
  const { runCommandLine } = await import('./cli/command-line.ts');
  return runCommandLine(argv, surroundings(openSubjects));
}

function surroundings(openSubjects: OpenSubjects): Surroundings {
  return {
    env: process.env,
    platform: process.platform,
    script: process.argv[1] ?? '',
    folder: process.cwd(),
    personHome: homedir(),
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    onInterrupt: (listener) => {
      for (const signal of endingSignals) process.on(signal, listener);
      return () => {
        for (const signal of endingSignals) process.off(signal, listener);
      };
    },
    quit: (exitCode) => process.exit(exitCode),
    installation: {
      open: async (home, workspace) =>
        (await import('./composition/in-process.ts')).openInProcess(home, workspace, openSubjects),
      serve: async (home, address, ready) =>
        (await import('./composition/serve.ts')).serve(home, address, ready, openSubjects),
      work: async (home, ready) => (await import('./composition/worker.ts')).work(home, ready, openSubjects),
      speakMcp: async (client) => (await import('./composition/mcp.ts')).speakMcp(client),
      junit: async (result) => (await import('./files/junit.ts')).junitReport(result),
    },
  };
}
