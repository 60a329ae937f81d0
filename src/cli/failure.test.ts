import { expect, test } from 'vitest';
import { errorOfEnvelope } from '../contract/client.ts';
import type { ErrorDetail } from '../core/errors.ts';
import { describeFailure } from './failure.ts';

const refusal = (message: string, details: ErrorDetail[]) =>
  errorOfEnvelope({ code: 'invalid_input', message, details }, 400);
const first = { file: 'a.yaml', line: 2, field: 'name', message: 'is needed' };
const second = { file: 'b.yaml', line: 5, field: 'kind', message: 'must be one of agent, prompt' };

test('what is wrong in several places is told once for each, below a sentence', () => {
  const message = `2 things are wrong, and nothing was saved:\na.yaml:2: name: is needed\nb.yaml:5: kind: ${second.message}`;
  expect(describeFailure(refusal(message, [first, second]))).toBe(
    [
      '2 things are wrong, and nothing was saved:',
      '  a.yaml:2: name: is needed',
      '  b.yaml:5: kind: must be one of agent, prompt',
    ].join('\n'),
  );
});

test('a sentence that lists the places gives way to the list', () => {
  const details = [
    { field: 'name', message: 'is needed' },
    { field: 'parallel', message: 'must be at most 64' },
  ];
  expect(describeFailure(refusal('name is needed; parallel must be at most 64.', details))).toBe(
    ['2 things are wrong:', '  name: is needed', '  parallel: must be at most 64'].join('\n'),
  );
});

test('what is wrong in one place is one line', () => {
  expect(describeFailure(refusal('a.yaml:2: name: is needed', [first]))).toBe('a.yaml:2: name: is needed');
});

test('a sentence that says something else stays', () => {
  const detail = { field: 'testSuiteId', message: 'names no test suite' };
  expect(describeFailure(refusal('There is no test suite "ghost".', [detail]))).toBe(
    'There is no test suite "ghost".\n  testSuiteId: names no test suite',
  );
  expect(describeFailure(refusal('It is over.', []))).toBe('It is over.');
});
