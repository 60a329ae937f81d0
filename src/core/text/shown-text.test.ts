import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { shown, shownList, shownTextLimit } from './shown-text.ts';

describe('shown text', () => {
  test.each([
    ['plain', 'plain'],
    ['', ''],
    ['two\nlines\r\nand\ta tab', 'two lines and a tab'],
    ['a\u0000b\u001b[31mc', 'a b [31mc'],
    ['turned \u202egnp.exe', 'turned  gnp.exe'],
    ['half \ud83d', 'half \ufffd'],
    ['👩‍👩‍👧 ok', '👩‍👩‍👧 ok'],
  ])('%j is shown as %j', (text, expected) => {
    expect(shown(text)).toBe(expected);
  });

  test('is cut to the limit in characters, without splitting one', () => {
    expect(shown('abcdef', 6)).toBe('abcdef');
    expect(shown('abcdefg', 6)).toBe('abcde…');
    expect(shown('😀'.repeat(6), 6)).toBe('😀'.repeat(6));
    expect(shown('😀'.repeat(7), 6)).toBe(`${'😀'.repeat(5)}…`);
    expect(shown('x'.repeat(1_000_000))).toHaveLength(shownTextLimit);
  });

  test('never holds a control character or half a character, and never more than the limit', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 80 }),
        fc.integer({ min: 1, max: 40 }),
        (text, limit) => {
          const result = shown(text, limit);
          expect(result).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}]/u);
          expect(result.isWellFormed()).toBe(true);
          expect(Array.from(result).length).toBeLessThanOrEqual(limit);
        },
      ),
    );
  });
});

test('a list shows each name once, the first of many, and how many more', () => {
  expect(shownList([])).toBe('');
  expect(shownList(['b', 'a', 'b'])).toBe('b, a');
  expect(shownList(Array.from({ length: 20 }, (_, index) => `t${index}`))).toBe(
    't0, t1, t2, t3, t4, t5, t6, t7, t8, t9, t10, t11 and 8 more',
  );
});
