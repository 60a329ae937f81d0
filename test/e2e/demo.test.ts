import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Installation, installation } from './installation.ts';

let place: Installation;
beforeAll(async () => {
  place = await installation({ keepDatabase: false });
});
afterAll(() => place.remove());

test('the demo sets itself up, passes, and says what it took and what to do next', async () => {
  const ended = await place.assay(['demo']);
  expect(ended).toMatchObject({ code: 0, stderr: expect.stringMatching(/^\d\/6 cases, .*\d passed/m) });
  expect(ended.stdout.match(/^passed /gm)).toHaveLength(6);
  expect(ended.stdout).toMatch(/: passed\. 6 passed of 6, success rate 100 %/);
  expect(ended.stdout).toMatch(/^Time: database \d+\.\d\d s, apply \d+\.\d\d s, run \d+\.\d\d s\.$/m);
  const notes = await readdir(join(place.home, 'demo', 'library'));
  expect(notes.filter((name) => name.startsWith('note-'))).toHaveLength(1);

  const next = [...ended.stdout.matchAll(/^ {2}(bin\/assay .*?) {3}/gm)].map(([, line]) => line as string);
  expect(next).toHaveLength(3);
  const result = await place.assay(next[0]?.split(' ').slice(1) ?? []);
  expect(JSON.parse(result.stdout)).toMatchObject({ outcome: 'passed', suite: { name: 'demo' } });
  expect(await place.assay(next[1]?.split(' ').slice(1) ?? [])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('kind: agent\nname: demo-librarian\n'),
  });
});

test('the demo can be run again', async () => {
  expect(await place.assay(['demo'])).toMatchObject({ code: 0 });
  // and nothing of it goes on
  await expect
    .poll(() => existsSync(join(place.home, 'pg', 'postmaster.pid')), { timeout: 10_000 })
    .toBe(false);
});
