import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

const root = path.dirname(import.meta.dirname);

/** A checkout of the scripts alone, in which every tool is a stand-in that answers as a test wants. */
let checkout: string;
beforeEach(async () => {
  checkout = await mkdtemp(path.join(tmpdir(), 'verify-'));
  for (const part of ['bin', 'scripts', 'package.json']) {
    await cp(path.join(root, part), path.join(checkout, part), { recursive: true });
  }
  await mkdir(path.join(checkout, 'node_modules', '.bin'), { recursive: true });
  await writeFile(path.join(checkout, 'scripts', 'arrows.mjs'), '');
  for (const tool of ['tsc', 'biome', 'knip']) await answer(tool, 'exit 0');
  await testsEnd({ passed: 7, failed: 0 });
});
afterEach(() => rm(checkout, { recursive: true }));

function answer(tool: string, script: string) {
  return writeFile(path.join(checkout, 'node_modules', '.bin', tool), `#!/bin/sh\n${script}\n`, {
    mode: 0o755,
  });
}

function testsEnd({ passed, failed, total = passed + failed, code = failed > 0 ? 1 : 0 }: Tests) {
  const report = JSON.stringify({ numPassedTests: passed, numFailedTests: failed, numTotalTests: total });
  const script = `for last; do :; done; echo '${report}' > "\${last#--outputFile.json=}"; echo said by the tests; exit ${code}`;
  return answer('vitest', script);
}
type Tests = { passed: number; failed: number; total?: number; code?: number };

function verify(...gates: string[]): Promise<{ code: unknown; closing: string; said: string }> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [path.join(checkout, 'scripts', 'verify.mjs'), ...gates],
      (error, stdout, stderr) => {
        const said = stdout + stderr;
        resolve({ code: error ? error.code : 0, closing: said.trimEnd().split('\n').at(-1) ?? '', said });
      },
    );
  });
}

test('gates and tests that pass are counted, and their output is not shown', async () => {
  const ended = await verify();
  expect(ended).toMatchObject({ code: 0, closing: '11 passed, 0 failed' });
  expect(ended.said).not.toContain('said by');
});

test('a gate that fails is counted and its output shown whole, and the others still run', async () => {
  await answer('knip', 'echo said by knip; echo and more >&2; exit 1');
  const ended = await verify();
  expect(ended).toMatchObject({ code: 1, closing: '10 passed, 1 failed' });
  expect(ended.said).toContain('said by knip\nand more');
});

test('a gate that cannot start is a failure', async () => {
  await rm(path.join(checkout, 'node_modules', '.bin', 'knip'));
  expect(await verify('unused')).toMatchObject({ code: 1, closing: '0 passed, 1 failed' });
});

test.for<[string, Tests, string]>([
  ['failed tests', { passed: 5, failed: 2 }, '5 passed, 2 failed'],
  ['a crash after the last test', { passed: 7, failed: 0, code: 1 }, '7 passed, 1 failed'],
  ['a test that did not run', { passed: 6, failed: 0, total: 7 }, '6 passed, 1 failed'],
  ['no test at all', { passed: 0, failed: 0 }, '0 passed, 1 failed'],
])('%s fail the run', async ([, tests, closing]) => {
  await testsEnd(tests);
  const ended = await verify('tests');
  expect(ended).toMatchObject({ code: 1, closing });
  expect(ended.said).toContain('said by the tests');
});

test('tests that end without a report fail the run', async () => {
  await answer('vitest', 'exit 0');
  expect(await verify('tests')).toMatchObject({ code: 1, closing: '0 passed, 1 failed' });
});

test('a gate that does not exist is refused', async () => {
  expect(await verify('lint')).toMatchObject({ code: 64, closing: expect.stringContaining('no gate lint') });
});
