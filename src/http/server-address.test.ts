import { expect, test } from 'vitest';
import { listOf, publicUrl } from './server-address.ts';

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
  expect(() => publicUrl(setting)).toThrow(
    `ASSAY_PUBLIC_URL must be an http or https address; it is "${setting}".`,
  );
});

test('commas part the parts of a setting', () => {
  expect(listOf(' a, b,, c ')).toEqual(['a', 'b', 'c']);
  expect(listOf(undefined)).toEqual([]);
});
