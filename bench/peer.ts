import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { type Figures, measure } from './measure.ts';

export const peerName = 'promptfoo 0.121.20';

/** The peer is large, so it lives in the user's cache and not among the project's dependencies. */
const peerDirectory = join(
  process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'),
  'assay-bench',
  'promptfoo-0.121.20',
);

/** Installs the peer once; later calls find it. */
export function installPeer(log: (line: string) => void): void {
  if (existsSync(join(peerDirectory, 'node_modules/.bin/promptfoo'))) return;
  log(`Installing ${peerName} into the cache (1.4 GB, once) …`);
  mkdirSync(peerDirectory, { recursive: true });
  writeFileSync(join(peerDirectory, 'package.json'), '{"name":"peer","private":true}\n');
  const installed = spawnSync(
    'npm',
    ['install', '--no-audit', '--no-fund', '--loglevel=error', 'promptfoo@0.121.20'],
    {
      cwd: peerDirectory,
      stdio: ['ignore', 'inherit', 'inherit'],
    },
  );
  if (installed.status !== 0) throw new Error(`${peerName} could not be installed`);
}

const stubAgent = `module.exports = class {
  id() { return 'stub'; }
  async callApi(prompt) {
    return { output: 'Answer: ' + prompt, tokenUsage: { total: 10, prompt: 5, completion: 5 } };
  }
};
`;

/** One evaluation of `cases` cases with a stub agent and two text checks each, stored, with JSON and JUnit written. */
export function runPeer(cases: number, directory: string): Promise<Figures> {
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, 'stub.cjs'), stubAgent);
  const tests = Array.from({ length: cases }, (_, index) => ({
    vars: { question: `question ${index}` },
    assert: [
      { type: 'contains', value: 'Answer' },
      { type: 'not-contains', value: 'error' },
    ],
  }));
  writeFileSync(
    join(directory, 'suite.json'),
    JSON.stringify({ prompts: ['Case {{question}}'], providers: ['file://stub.cjs'], tests }),
  );
  const options = ['--max-concurrency', '20', '--no-cache', '--no-table', '--no-progress-bar'];
  const outputs = ['-o', 'result.json', '-o', 'result.junit.xml'];
  return measure(
    [join(peerDirectory, 'node_modules/.bin/promptfoo'), 'eval', '-c', 'suite.json', ...options, ...outputs],
    {
      cwd: directory,
      environment: {
        PROMPTFOO_CONFIG_DIR: join(directory, 'store'),
        PROMPTFOO_DISABLE_TELEMETRY: '1',
        PROMPTFOO_DISABLE_UPDATE: '1',
        PROMPTFOO_DISABLE_REMOTE_GENERATION: 'true',
        IS_TESTING: '',
      },
    },
  );
}
