import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RunResult } from '../../src/contract/result.ts';
import { verifies } from '../verifies.ts';
import { type Installation, installation, root, suitesFile } from './installation.ts';

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
    [['apply', '-f', '-', '-f', '-'], '-f - is given twice'],
    [['test', 'run', '--suite', 'a', '--suite', 'b'], "option '--suite <suite>' is given twice"],
    [['test', 'create', '-f', 'a.yaml', '--file', 'b.yaml'], "option '-f, --file <path>' is given twice"],
    [['test', 'list', '--json', '--json'], "option '--json' is given twice"],
    [['export', 'ghosts'], 'There is no kind "ghosts"'],
  ])(verifies('exits with 64 and says why: %j', 'M8'), async (args, said) => {
    const ended = await place.assay(args);
    expect(ended.code).toBe(64);
    expect(ended.stderr).toContain(said);
    expect(ended.stderr).not.toMatch(/^\s+at /m);
    expect(ended.stdout).toBe('');
  });
});

describe('standard output that cannot be written', () => {
  test.each([['--version'], ['--help'], ['test', 'suites'], ['test', 'run', '--suite', 'green', '--wait']])(
    'ends with 2 and one line that says so: %s %s',
    async (...args) => {
      const shell = 'exec "$0" "$@" > /dev/full';
      const ended = await place.assay(args, { shell });
      expect(ended.code).toBe(2);
      expect(ended.stderr.match(/^assay: Standard output cannot be written: .*ENOSPC/gm)).toHaveLength(1);
      expect(ended.stderr).not.toMatch(/^\s+at /m);
    },
  );

  test('because its reader has seen enough is no failure', async () => {
    const shell = '{ "$0" "$@"; echo "code $?" >&2; } | true';
    const ended = await place.assay(['export'], { shell });
    expect(ended.stderr).toBe('code 0\n');
  });
});

describe('a report that cannot be written', () => {
  test.each([
    ['no/such/folder/report.xml', 'there is no folder no/such/folder'],
    ['src', 'it is a folder'],
    ['package.json/report.xml', 'there is no folder package.json'],
  ])('is refused before the run starts, and nothing is made: --junit %s', async (path, said) => {
    const before = await readdir(root);
    const ended = await place.assay(['test', 'run', '--suite', 'green', '--wait', '--junit', path]);
    expect(ended).toMatchObject({ code: 64, stdout: '' });
    expect(ended.stderr).toBe(`assay: --junit ${path} cannot be written: ${said}.\n`);
    expect(await readdir(root)).toEqual(before);
  });
});

test('apply takes several files as one operation', async () => {
  const paths = [];
  for (const name of ['first', 'second']) {
    const path = join(place.files, `${name}.yaml`);
    await writeFile(path, `kind: prompt\nname: ${name}\nbody: x\n`);
    paths.push('-f', path);
  }
  const applied = await place.assay(['apply', '--json', ...paths]);
  const { objects } = JSON.parse(applied.stdout);
  expect(objects.map(({ name }: { name: string }) => name)).toEqual(['first', 'second']);
  const broken = join(place.files, 'broken.yaml');
  await writeFile(broken, 'kind: prompt\nname: third\n');
  await writeFile(paths[1] as string, 'kind: prompt\nname: fourth\nbody: x\n');
  const refused = await place.assay(['apply', ...paths, '-f', broken]);
  expect(refused).toMatchObject({ code: 1, stdout: '', stderr: `assay: ${broken}:1: body: is needed\n` });
  expect((await place.assay(['export', 'prompt'])).stdout).not.toContain('fourth');
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

  test.each(['SIGTERM', 'SIGHUP'] as const)(
    'is not the only way to cancel: %s does so too',
    async (signal) => {
      const started = await hanging();
      started.process.kill(signal);
      const ended = await started.ended;
      expect(JSON.parse(ended.stdout)).toMatchObject({ status: 'cancelled' });
      expect(ended.code).toBe(130);
    },
  );

  test('is not needed where the terminal is closed: the run is cancelled though nobody can be told', async () => {
    const started = await hanging();
    started.process.stdout?.destroy();
    started.process.stderr?.destroy();
    // the terminal and the shell in it both tell
    started.process.kill('SIGHUP');
    started.process.kill('SIGHUP');
    expect(await started.ended).toMatchObject({ code: 130 });
  });

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
