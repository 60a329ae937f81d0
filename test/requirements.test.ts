import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { readCitations } from './citations.ts';
import { planned } from './planned.ts';
import { type RequirementId, requirements } from './requirements.ts';
import { verifies } from './verifies.ts';

const checkout = path.dirname(import.meta.dirname);
const ids = Object.keys(requirements);
const titleOf = verifies as (title: string, ...ids: string[]) => string;

describe('the requirements of this checkout', () => {
  test('are numbered without a gap', () => {
    for (const [letter, last] of Object.entries({ O: 11, M: 88, K: 52, S: 63 })) {
      const numbers = ids.filter((id) => id.startsWith(letter)).map((id) => Number(id.slice(1)));
      expect(numbers.sort((a, b) => a - b)).toEqual(Array.from({ length: last }, (_, index) => index + 1));
    }
  });

  test('are each proven by a test or planned, never both', () => {
    const { citations, problems } = readCitations(checkout);
    expect(problems).toEqual([]);
    const proven = new Set(citations.flatMap((citation) => citation.ids));
    expect(
      ids.filter((id) => !proven.has(id as RequirementId) && !planned.includes(id as RequirementId)),
    ).toEqual([]);
    expect(planned.filter((id) => proven.has(id))).toEqual([]);
  });

  test('are planned under ids that exist, once each', () => {
    expect(planned.filter((id) => !ids.includes(id))).toEqual([]);
    expect(planned.filter((id, index) => planned.indexOf(id) !== index)).toEqual([]);
  });
});

describe('a citation', () => {
  const folders: string[] = [];
  afterEach(() => {
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
  });

  function read(source: string) {
    const folder = mkdtempSync(path.join(tmpdir(), 'citations-'));
    folders.push(folder);
    mkdirSync(path.join(folder, 'src'));
    writeFileSync(path.join(folder, 'src', 'a.test.ts'), source);
    return readCitations(folder);
  }

  test('is read from the title of a test, also over several lines and in a table', () => {
    const { citations, problems } = read(
      "test(\n  verifies(\n    'first', // why\n    'M1',\n    'M2',\n  ),\n  async () => {});\n" +
        'describe("d", () => { it.for([1])(verifies(`row`, "K3"), () => {}); });\n' +
        "// test(verifies('a comment', 'M5'), () => {})\nconst text = \"verifies('a text', 'M6')\";",
    );
    expect(problems).toEqual([]);
    expect(citations.map(({ title, ids: cited }) => [title, ...cited])).toEqual([
      ['first', 'M1', 'M2'],
      ['row', 'K3'],
    ]);
  });

  test.for([
    ['an unknown id', "test(verifies('t', 'M89'), () => {})", 'cites M89'],
    ['four ids', "test(verifies('t', 'M1', 'M2', 'M3', 'M4'), () => {})", 'three at most'],
    ['no id', "test(verifies('t'), () => {})", 'cites no requirement'],
    ['an id twice', "test(verifies('t', 'M1', 'M1'), () => {})", 'twice'],
    ['a computed id', "test(verifies('t', id), () => {})", 'not written out'],
    ['spread ids', "test(verifies('t', ...['M1']), () => {})", 'not written out'],
    ['a skipped test', "test.skip(verifies('t', 'M1'), () => {})", 'may not run (skip)'],
    [
      'a skipped group',
      "describe.skip('d', () => { test(verifies('t', 'M1'), () => {}); })",
      'may not run (skip)',
    ],
    ['no test at all', "const title = verifies('t', 'M1');", 'is not the title of a test'],
    ['another name', "import { verifies as v } from './v.ts'; test(v('t', 'M1'), () => {})", 'another name'],
  ])('with %s counts for nothing and is a problem', ([, source, problem]) => {
    const found = read(source as string);
    expect(found.citations).toEqual([]);
    expect(found.problems).toHaveLength(1);
    expect(found.problems[0]).toContain(problem);
  });

  test('makes the title of its test', () => {
    expect(titleOf('starts a run', 'M1')).toBe('starts a run [M1]');
    expect(titleOf('starts a run', 'M1', 'K2', 'S3')).toBe('starts a run [M1 K2 S3]');
  });

  test.for([[['M0']], [['M1', 'M2', 'M3', 'M4']], [[]], [['M1', 'M1']]])(
    'of the ids %j throws while the tests are collected',
    ([cited]) => {
      expect(() => titleOf('a title', ...(cited ?? []))).toThrow('"a title" cites');
    },
  );
});
