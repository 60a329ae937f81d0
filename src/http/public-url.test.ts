import { expect, test } from 'vitest';
import { AssayError } from '../core/errors.ts';
import { listOf, publicUrl } from './public-url.ts';

test.each([
  ['https://assay.example', 'https://assay.example'],
  ['https://assay.example/', 'https://assay.example'],
  ['http://10.0.0.1:8080', 'http://10.0.0.1:8080'],
  ['', null],
  [undefined, null],
])('people reach the installation at %j', (setting, expected) => {
  expect(publicUrl(setting)).toBe(expected);
});

test.each(['assay.example', 'ftp://assay.example', '/assay'])('%j is no address for people', (setting) => {
  const message = 'must be an http or https address';
  expect(() => publicUrl(setting)).toThrow(
    new AssayError('invalid_input', `ASSAY_PUBLIC_URL ${message}; it is "${setting}".`, [
      { field: 'ASSAY_PUBLIC_URL', value: setting, message },
    ]),
  );
});

test('commas part the parts of a setting', () => {
  expect(listOf(' a, b,, c ')).toEqual(['a', 'b', 'c']);
  expect(listOf(undefined)).toEqual([]);
});
