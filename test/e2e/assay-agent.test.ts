import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RunResult } from '../../src/contract/result.ts';
import { verifies } from '../verifies.ts';
import { type Installation, installation } from './installation.ts';

let place: Installation;
beforeAll(async () => {
  place = await installation();
});
afterAll(() => place.remove());

async function json(...args: string[]) {
  const { code, stdout, stderr } = await place.assay([...args, '--json']);
  expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout);
}

test(
  verifies('the smoke suite runs by its id on a fresh data directory, from any workspace, and passes', 'M88'),
  async () => {
    const { items } = await json('test', 'suites', '--workspace', 'assay');
    const smoke = items.find(({ name }: { name: string }) => name === 'smoke');
    const result: RunResult = await json('test', 'run', '--suite', smoke.id, '--wait');
    expect(result).toMatchObject({ status: 'finished', outcome: 'passed' });
    expect(result.totals).toMatchObject({ tests: smoke.testCases, passed: smoke.testCases });
    const conversations = result.results.flatMap((each) => each.conversations);
    for (const { model, evaluator, checks } of conversations) {
      expect({ model, evaluator }).toEqual({ model: 'offline', evaluator: null });
      expect(checks.length).toBeGreaterThan(0);
    }
  },
);

test('the agent that comes with the program is provided to the workspace that is there for others', async () => {
  const { items } = await json('agent', 'list');
  expect(items).toMatchObject([{ name: 'Assay Agent', providedBy: 'assay' }]);
});
