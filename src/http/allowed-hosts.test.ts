import { expect, test } from 'vitest';
import { isForUs, isOwnOrigin } from './allowed-hosts.ts';

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

test.each([
  ['::', '[::]:4710'],
  ['0.0.0.0', '0.0.0.0:4710'],
  ['::1', '[::1]:4710'],
  ['[2001:db8::1]', '[2001:DB8:0::1]'],
  ['2001:DB8:0:0::1', '[2001:db8::1]:80'],
  ['Assay.Example', 'assay.example'],
  ['assay.example:4710', 'assay.example:4710'],
  [' assay.example ', 'assay.example'],
  ['bücher.example', 'xn--bcher-kva.example'],
])('the host name %j allows a request for %s', (name, host) => {
  expect(isForUs({ host, origin: `http://${host}` }, [name])).toBe(true);
});

test.each(['', ' ', 'two words', '[', 'a/b', '*'])('%j is no host name and allows nothing', (name) => {
  for (const host of [undefined, '', name, 'evil.example', 'a', '[::]']) {
    expect(isForUs({ host, origin: undefined }, [name])).toBe(false);
  }
});

test.each([
  ['127.0.0.1:4710', 'http://127.0.0.1:4710', true],
  ['localhost:4710', 'http://localhost:4710', true],
  ['[::1]:4710', 'http://[::1]:4710', true],
  ['assay.example', 'https://assay.example', true],
  ['assay.example:443', 'https://assay.example', true],
  ['Assay.Example:4710', 'http://assay.example:4710', true],
  // a proxy that calls this server by another name
  ['127.0.0.1:4710', 'https://assay.example', true],
  ['127.0.0.1:4710', 'http://127.0.0.1:3000', false],
  ['127.0.0.1:4710', 'http://localhost:4710', false],
  ['127.0.0.1:4710', 'http://127.0.0.1', false],
  ['127.0.0.1:4710', 'http://evil.example', false],
  ['127.0.0.1:4710', 'http://assay.example.evil.example', false],
  ['127.0.0.1:4710', 'null', false],
  ['127.0.0.1:4710', '', false],
  ['127.0.0.1:4710', undefined, false],
  [undefined, 'https://evil.example', false],
])('a page at %s that comes from %s', (host, origin, expected) => {
  expect(isOwnOrigin({ host, origin }, ['127.0.0.1', 'assay.example'])).toBe(expected);
});
