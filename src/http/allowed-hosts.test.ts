import { expect, test } from 'vitest';
import { isForUs } from './allowed-hosts.ts';

test.each([
  ['127.0.0.1:4710', undefined, true],
  ['localhost', undefined, true],
  ['[::1]:80', undefined, true],
  ['LOCALHOST:1', 'http://localhost:3000', true],
  ['assay.example:443', 'https://assay.example', true],
  ['Assay.Example', undefined, true],
  ['evil.example', undefined, false],
  ['127.0.0.1.evil.example', undefined, false],
  ['127.0.0.1@evil.example', undefined, false],
  ['127.0.0.1:4710', 'http://evil.example', false],
  ['127.0.0.1:4710', 'null', false],
  ['127.0.0.1:4710', 'http://localhost.evil.example', false],
  ['', undefined, false],
  [undefined, undefined, false],
])('a request for %s from %s', (host, origin, expected) => {
  expect(isForUs({ host, origin }, ['assay.example'])).toBe(expected);
});
