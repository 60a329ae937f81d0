import { describe, expect, test } from 'vitest';
import { wholeNumber } from './whole-number.ts';

describe('a whole number', () => {
  test.each(['1', '64', '007'])('within its bounds is read: %s', (text) => {
    expect(wholeNumber(1, 64)(text)).toBe(Number(text));
  });

  test.each(['0', '65', '-1', '1.5', '1e1', '0x10', '', ' 1', '٣'])('is refused otherwise: "%s"', (text) => {
    expect(() => wholeNumber(1, 64)(text)).toThrow('It must be a whole number from 1 to 64.');
  });

  test('without an upper bound is as large as one likes', () => {
    expect(wholeNumber(1)('1000000000000')).toBe(1_000_000_000_000);
    expect(() => wholeNumber(1)('0')).toThrow('It must be a whole number from 1 on.');
  });
});
