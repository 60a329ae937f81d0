import { expect, test } from 'vitest';
import { table } from './table.ts';

test('columns stand below each other, and what others wrote cannot steer the terminal', () => {
  const text = table(
    ['RESULT', 'CASE'],
    [
      ['passed', 'a\u001b[31m\nred'],
      ['failed', 'b'],
    ],
    (cell, row, column) => (column === 0 && row >= 0 ? `<${cell}>` : cell),
  );
  expect(text.split('\n')).toEqual(['RESULT  CASE', '<passed>  a [31m red', '<failed>  b']);
});
