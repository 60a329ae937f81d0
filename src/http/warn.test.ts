import { expect, test } from 'vitest';
import { createWarn } from './warn.ts';

test('a warning that repeats is logged once a minute, with how many were left out', () => {
  const logged: unknown[] = [];
  let now = 0;
  const warn = createWarn(
    (...line) => logged.push(line),
    () => now,
  );
  const trouble = 'the queue of lanes has a problem';
  warn(trouble, new Error('Connection terminated'));
  warn(trouble, new Error('the database system is starting up'));
  warn('a database connection broke', 'gone');
  now = 59_999;
  warn(trouble, new Error('the database system is starting up'));
  expect(logged).toEqual([
    ['warn', trouble, { error: 'Connection terminated' }],
    ['warn', 'a database connection broke', { error: 'gone' }],
  ]);
  now = 60_000;
  warn(trouble, new Error('still away'));
  expect(logged[2]).toEqual(['warn', trouble, { error: 'still away', leftOut: 2 }]);
});
