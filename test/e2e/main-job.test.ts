import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RunResult } from '../../src/contract/result.ts';
import { verifies } from '../verifies.ts';
import { exampleFile, type Installation, installation } from './installation.ts';

let place: Installation;
beforeAll(async () => {
  place = await installation();
});
afterAll(() => place.remove());

const run = (...more: string[]) => place.assay(['test', 'run', '--suite', 'files', '--wait', ...more]);
const outcomes = (result: RunResult) =>
  result.results.map(({ testCase, outcome }) => [testCase.name, outcome]);

describe('the example of an agent on a file server', () => {
  test('is applied once, and changes nothing the second time', async () => {
    const first = await place.assay(['apply', '-f', exampleFile]);
    expect(first.stderr).toBe('');
    expect(first.code).toBe(0);
    expect(first.stdout).toMatch(/created +agent +librarian/);
    const second = await place.assay(['apply', '-f', exampleFile, '--json']);
    const { objects } = JSON.parse(second.stdout);
    expect(objects).toHaveLength(6);
    expect(objects.every(({ action }: { action: string }) => action === 'unchanged')).toBe(true);
  });

  test(
    verifies('runs as one run in the order of the suite, and fails by what the agent did', 'M1', 'M8', 'M32'),
    async () => {
      const report = join(place.files, 'junit.xml');
      const ended = await run('--json', '--junit', report);
      expect(ended.code).toBe(1);
      const result: RunResult = JSON.parse(ended.stdout);
      expect(result).toMatchObject({ status: 'finished', outcome: 'failed' });
      expect(outcomes(result)).toEqual([
        ['lists the folder', 'passed'],
        ['looks before it writes', 'passed'],
        ['writes before looking', 'failed'],
      ]);
      expect(result.totals).toMatchObject({ tests: 3, passed: 2, failed: 1, successRate: 66.67 });
      const [conversation] = result.results[2]?.conversations ?? [];
      expect(conversation?.checks).toMatchObject([{ type: 'no_write_before', outcome: 'failed' }]);
      expect(conversation?.checks[0]?.reason).toContain('write_file');
      expect(await readFile(join(place.files, `${conversation?.run}-b.txt`), 'utf8')).toBe('hello');

      const xml = await readFile(report, 'utf8');
      expect(xml).toMatch(/<testsuite name="files"[^>]*tests="3" failures="1" errors="0" skipped="0"/);
      expect(xml).toMatch(/name="writes before looking"[^>]*>\s*<failure message="[^"]*write_file/);
    },
  );

  test(
    verifies(
      'is answered by the version that is asked for, and prints what did not pass first',
      'M19',
      'M22',
    ),
    async () => {
      const ended = await run('--agent-version', 'v2');
      const lines = ended.stdout.split('\n');
      expect(lines[1]).toMatch(/^failed +writes before looking .*write_file/);
      expect(lines[2]).toMatch(/^passed/);
      expect(ended.stdout).toContain('2 passed, 1 failed of 3');
      expect(ended.stderr).toMatch(/^\d\/3 cases/);
      const [, id = ''] = ended.stdout.match(/^Run (\S+) of files: failed/m) ?? [];
      expect(await answeredBy(id)).toEqual(['v2']);
    },
  );

  test(
    verifies('is answered by the deployed version, also where the latest is asked for', 'M14', 'M21'),
    async () => {
      const ended = await run('--agent-version', 'latest', '--json');
      expect(await answeredBy(JSON.parse(ended.stdout).id)).toEqual(['v1']);
    },
  );
});

async function answeredBy(testRunId: string): Promise<unknown[]> {
  const ended = await place.assay(['test', 'result', testRunId, '--json']);
  const result: RunResult = JSON.parse(ended.stdout);
  return [
    ...new Set(result.results.flatMap(({ conversations }) => conversations.map((each) => each.agentVersion))),
  ];
}
