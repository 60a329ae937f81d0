import { describe, expect, test } from 'vitest';
import { success } from './answer.ts';
import { operationTools } from './tools.ts';

const tool = operationTools().find(({ name }) => name === 'get-test-run-result') ?? fail();
function fail(): never {
  throw new Error('there is no such tool');
}

const result = (nth: number, reason: string) => ({
  id: `id-${nth}`,
  reason,
  durationMs: null,
  conversations: [],
});
const run = (...results: object[]) => ({ formatVersion: 1, id: 'run', results });
const texts = (output: object) => success(tool, output).content.map(({ text }) => text);

describe('the text of an answer', () => {
  test('is all of it where that is short', () => {
    const output = run(result(1, 'a'), result(2, 'b'));
    const { structuredContent } = success(tool, output);
    expect(structuredContent).toMatchObject({ format_version: 1, results: [{ duration_ms: null }, {}] });
    expect(texts(output).map((text) => JSON.parse(text))).toEqual([structuredContent]);
  });

  test('is its first page where it is long, and says how to read on; the structured content is whole', () => {
    const results = Array.from({ length: 100 }, (_, index) => result(index + 1, 'x'.repeat(900)));
    const [text = '', note] = texts(run(...results));
    const page = JSON.parse(text);
    expect(text.length).toBeLessThanOrEqual(32_100);
    expect(page.results.length).toBeGreaterThan(20);
    expect(page.next_cursor).toBe(`id-${page.results.length}`);
    expect(note).toContain(`first ${page.results.length} of 100 results`);
    expect(note).toContain(`get-test-run-result again with "cursor": "${page.next_cursor}"`);
    const { structuredContent } = success(tool, run(...results));
    expect(structuredContent.results).toHaveLength(100);
    expect(structuredContent).not.toHaveProperty('next_cursor');
  });

  test('holds at least one entry, however long, and never says that something follows the last', () => {
    const long = 'x'.repeat(40_000);
    const [first = '', note] = texts(run(result(1, long), result(2, 'short')));
    expect(JSON.parse(first)).toMatchObject({ results: [{ id: 'id-1' }], next_cursor: 'id-1' });
    expect(note).toContain('first 1 of 2');
    const alone = texts(run(result(1, long)));
    expect(alone).toHaveLength(1);
    expect(JSON.parse(alone[0] ?? '')).not.toHaveProperty('next_cursor');
  });
});
