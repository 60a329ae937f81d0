import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Installation, installation, suitesFile } from './installation.ts';

let place: Installation;
let runs: { id: string; outcome: string }[];
beforeAll(async () => {
  place = await installation();
  await place.start(['serve', '--port', '0']).said('stdout', /serves/);
  expect(await place.assay(['apply', '-f', suitesFile])).toMatchObject({ code: 0 });
  runs = [];
  for (const suite of ['green', 'red']) {
    runs.unshift(
      JSON.parse((await place.assay(['test', 'run', '--suite', suite, '--wait', '--json'])).stdout),
    );
  }
});
afterAll(() => place?.remove());

async function json(...args: string[]) {
  const ended = await place.assay([...args, '--json']);
  expect(ended).toMatchObject({ code: 0, stderr: '' });
  return JSON.parse(ended.stdout);
}
const idsOf = ({ items }: { items: { id: string }[] }) => items.map(({ id }) => id);

test('runs are listed, newest first, by suite, status and outcome', async () => {
  expect(idsOf(await json('test', 'runs'))).toEqual(runs.map(({ id }) => id));
  const [red, green] = runs.map(({ id }) => id);
  expect(idsOf(await json('test', 'runs', '--suite', 'green'))).toEqual([green]);
  expect(idsOf(await json('test', 'runs', '--outcome', 'failed', '--status', 'finished'))).toEqual([red]);
  expect(idsOf(await json('test', 'runs', '--status', 'queued'))).toEqual([]);
  const first = await place.assay(['test', 'runs', '--limit', '1']);
  expect(first.stdout).toMatch(new RegExp(`^STARTED .*\\n\\S+ +red +finished +failed +.*${red}\\n$`));
  expect(first.stderr).toBe('There are more than 1: list them with a higher --limit.\n');
  expect(await place.assay(['test', 'runs', '--outcome', 'green'])).toMatchObject({ code: 64 });
  const ghost = await place.assay(['test', 'runs', '--suite', 'ghost']);
  expect(ghost).toMatchObject({ code: 1, stderr: expect.stringContaining('ghost') });
});

test('the results of a run are listed by outcome and name, and each is shown by its id', async () => {
  const [red = ''] = runs.map(({ id }) => id);
  const failed = await json('test', 'results', red, '--outcome', 'failed');
  const named = await json('test', 'results', red, '--search', 'FAIL');
  expect(failed.items).toMatchObject([{ testCase: { name: 'fails' }, outcome: 'failed' }]);
  expect(named).toEqual(failed);
  const [id = ''] = idsOf(failed);
  expect((await place.assay(['test', 'results', red])).stdout).toMatch(new RegExp(`failed +fails .*${id}`));

  const shown = await place.assay(['test', 'case-result', id]);
  expect(shown.stdout).toContain(`fails in run ${red} of red: failed`);
  expect(shown.stdout).toMatch(/failed object_exists: .*\n {4}expected: .*\n {4}actual: /);
  expect(shown.stdout).toMatch(/Conversation with v1\n {2}user: /);
  expect(await json('test', 'case-result', id)).toMatchObject({ id, testRun: { id: red } });
  expect(await place.assay(['test', 'case-result', red])).toMatchObject({ code: 1 });
});

test('a workspace is shown and archived, and everybody is told who they are', async () => {
  const created = await json('workspace', 'create', 'short-lived');
  expect(await json('workspace', 'get', 'short-lived')).toEqual(created);
  expect(idsOf(await json('workspace', 'list', '--search', 'SHORT'))).toEqual([created.id]);
  const me = await place.assay(['whoami', '--workspace', 'short-lived']);
  expect(me.stdout).toMatch(
    /^local operator \(operator\), admin in the workspace "short-lived" \(\S+\)\.\n$/,
  );
  const archived = await place.assay(['workspace', 'archive', 'short-lived']);
  expect(archived.stdout).toBe(`Archived workspace "short-lived" (${created.id}).\n`);
  expect(await place.assay(['whoami', '--workspace', 'short-lived'])).toMatchObject({ code: 1 });
  const main = await place.assay(['workspace', 'archive', 'main']);
  expect(main).toMatchObject({ code: 1, stderr: expect.stringContaining('every installation has it') });
});
