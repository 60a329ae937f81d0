import { expect, test } from 'vitest';
import { describeFileError } from './errors.ts';
import { explainFailure } from './failure.ts';

const at = '2026-01-01 00:00:00.000 UTC [17]';

test('a full disk is named as such, wherever PostgreSQL or the file system met it', () => {
  const line = `${at} FATAL:  could not write to file "pg_wal/xlogtemp.17": No space left on device`;
  expect(explainFailure('start_failed', '/data/pg', [`${at} LOG:  starting PostgreSQL`, line])).toMatchObject(
    {
      code: 'disk_full',
      message: `The disk that holds /data/pg is full (${line}). Free some space and start again; nothing committed is lost.`,
    },
  );
  const refused = Object.assign(new Error('write'), { code: 'ENOSPC' });
  expect(describeFileError(refused, '/data')).toMatchObject({ code: 'disk_full', cause: refused });
});

test('an unknown end shows the last words', () => {
  const lines = [`${at} FATAL:  could not create shared memory segment: Cannot allocate memory`];
  const failure = explainFailure('start_failed', '/data/pg', lines);
  expect(failure.code).toBe('start_failed');
  expect(failure.message).toContain(`did not start in /data/pg. It says:\n  ${lines[0]}\n`);
  expect(explainFailure('initialise_failed', '/data/pg', []).message).toContain(
    'No database could be made in /data/pg. It says: nothing.',
  );
});

test('a refusal of the file system that says nothing about the home stays what it is', () => {
  const error = Object.assign(new Error('busy'), { code: 'EBUSY' });
  expect(describeFileError(error, '/data')).toBe(error);
});
