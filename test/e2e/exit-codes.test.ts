import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RunResult } from '../../src/contract/result.ts';
import { verifies } from '../verifies.ts';
import { type Installation, installation, suitesFile } from './installation.ts';

let place: Installation;
beforeAll(async () => {
  place = await installation();
  expect(await place.assay(['apply', '-f', suitesFile])).toMatchObject({ code: 0 });
});
afterAll(() => place.remove());

const run = (suite: string, ...more: string[]) =>
  place.assay(['test', 'run', '--suite', suite, '--wait', '--json', ...more]);

describe('the exit code of a run', () => {
  test.each([
    ['green', 0, 'passed'],
    ['red', 1, 'failed'],
    ['broken', 2, 'error'],
    ['unjudged', 2, 'unknown'],
  ])(verifies('of the suite %s is %i', 'M8'), async (suite, code, outcome) => {
    const ended = await run(suite);
    const result: RunResult = JSON.parse(ended.stdout);
    expect([result.status, result.outcome]).toEqual(['finished', outcome]);
    expect(ended.code).toBe(code);
  });

  test('is 0 with enough passed cases, and never where one was not judged', async () => {
    expect(await run('red', '--min-success-rate', '50')).toMatchObject({ code: 0 });
    expect(await run('red', '--min-success-rate', '50.1')).toMatchObject({ code: 1 });
    expect(await run('broken', '--min-success-rate', '0')).toMatchObject({ code: 2 });
    expect(await run('unjudged', '--min-success-rate', '0')).toMatchObject({ code: 2 });
  });

  test('is 2 where the run was refused', async () => {
    expect(await run('ghost')).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('There is no test suite "ghost"'),
    });
  });
});

describe('a command line that means nothing', () => {
  test.each([
    [['frobnicate'], "unknown command 'frobnicate'"],
    [['test'], 'Usage: assay test'],
    [[], 'Usage: assay'],
    [['test', 'run'], "required option '--suite <suite>' not specified"],
    [['test', 'run', '--suite'], 'argument missing'],
    [['test', 'run', '--suite', 'x', '--parallel', '0'], 'It must be a whole number from 1 to 64'],
    [['test', 'run', '--suite', 'x', '--parallel', '65'], 'It must be a whole number from 1 to 64'],
    [['test', 'run', '--suite', 'x', '--min-success-rate', '101'], 'It must be a number from 0 to 100'],
    [['test', 'run', '--suite', 'x', '--environment', 'prod'], "unknown option '--environment'"],
    [['test', 'run', '--suite', 'x', '--junit', 'y.xml'], '--junit needs --wait'],
    [['test', 'result'], "missing required argument 'run'"],
    [['apply', '-f', 'no/such/file.yaml'], 'no/such/file.yaml cannot be read: it does not exist'],
    [['export', 'ghosts'], 'There is no kind "ghosts"'],
  ])(verifies('exits with 64 and says why: %j', 'M8'), async (args, said) => {
    const ended = await place.assay(args);
    expect(ended.code).toBe(64);
    expect(ended.stderr).toContain(said);
    expect(ended.stderr).not.toMatch(/^\s+at /m);
    expect(ended.stdout).toBe('');
  });
});

test('every command explains itself, with examples', async () => {
  const commands = [
    ['demo'],
    ['apply'],
    ['export'],
    ['agent', 'list'],
    ['test', 'list'],
    ['test', 'get'],
    ['test', 'create'],
    ['test', 'update'],
    ['test', 'suites'],
    ['test', 'suite', 'create'],
    ['test', 'suite', 'update'],
    ['test', 'run'],
    ['test', 'result'],
    ['test', 'cancel'],
    ['serve'],
    ['worker'],
    ['mcp'],
  ];
  for (const command of commands) {
    const ended = await place.assay([...command, '--help']);
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(ended.stdout).toContain(`Usage: assay ${command.join(' ')}`);
    for (const said of ['--json', '--workspace', '--help', 'Examples:']) expect(ended.stdout).toContain(said);
  }
  expect((await place.assay(['serve', '--help'])).stdout).toContain('ASSAY_HOSTS');
});

describe('Ctrl-C', () => {
  const hanging = async () => {
    const started = place.start(['test', 'run', '--suite', 'stuck', '--wait', '--json']);
    await started.said('stderr', /1 running/);
    return started;
  };

  test(verifies('once cancels the run: it exits with 130 and its result says so', 'M8'), async () => {
    const started = await hanging();
    started.process.kill('SIGINT');
    const ended = await started.ended;
    expect(ended.stderr).toContain('Cancelling the run');
    const result: RunResult = JSON.parse(ended.stdout);
    expect(result).toMatchObject({ status: 'cancelled', outcome: 'cancelled' });
    expect(result.results.map(({ outcome }) => outcome)).toEqual(['cancelled', 'cancelled']);
    expect(ended.code).toBe(130);
    const junit = await place.assay(['test', 'result', result.id, '--junit']);
    expect(junit.stdout).toContain('tests="2" failures="0" errors="2" skipped="0"');
    expect(junit.stdout.match(/type="cancelled"/g)).toHaveLength(2);
  });

  test('twice ends the command at once', async () => {
    const started = await hanging();
    started.process.kill('SIGINT');
    await started.said('stderr', /Cancelling the run/);
    started.process.kill('SIGINT');
    expect(await started.ended).toMatchObject({ code: 130 });
  });
});
