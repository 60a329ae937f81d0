import { expect, test } from 'vitest';
import { secrets, server } from '../../test/tool-bench.ts';
import { routeOf } from './route.ts';

const url = 'https://tools.example/mcp';
const routed = (endpoint: string | null) =>
  routeOf(
    server(
      'guarded',
      { type: 'http', url, headers: { Authorization: secrets.seal('hunter22-token') } },
      { target: { mode: 'real', endpoint } },
    ),
    secrets,
    () => {},
  );

test.each([null, 'https://tools.example/v2', 'https://TOOLS.example:443/mcp'])(
  'headers follow to %s',
  (endpoint) => {
    expect(routed(endpoint)).toMatchObject({
      url: endpoint ?? url,
      headers: { Authorization: 'hunter22-token' },
    });
  },
);

test.each([
  'http://tools.example/mcp',
  'http://tools.example:443/mcp',
  'https://tools.example:8443/mcp',
  'https://example/mcp',
])('headers do not follow to %s, which is another origin', (endpoint) => {
  expect(routed(endpoint)).toEqual({ type: 'http', url: endpoint, headers: {} });
});
