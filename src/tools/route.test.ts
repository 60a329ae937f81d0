import { describe, expect, test } from 'vitest';
import { secrets, server } from '../../test/tool-bench.ts';
import type { SealedTransport } from '../core/frozen.ts';
import type { SealedSecret } from '../core/sealed-secret.ts';
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

describe('secrets that another workspace lent', () => {
  const lender = { workspaceId: 'theirs', serverId: 'their server' };
  const secret = { A: secrets.seal('hunter22-token') };
  const lent = (transport: SealedTransport, endpoint: string | null) =>
    routeOf(server('lent', transport, { target: { mode: 'real', endpoint }, lender }), secrets, () => {});
  const http = (headers: Record<string, SealedSecret>): SealedTransport => ({ type: 'http', url, headers });

  test.each([null, url, 'https://TOOLS.example:443/mcp'])(
    'go to the address they were lent for: %s',
    (to) => {
      expect(lent(http(secret), to)).toMatchObject({ headers: { A: 'hunter22-token' } });
    },
  );

  test.each([
    'https://tools.example/evil-tenant/mcp',
    'https://tools.example/mcp?tenant=evil',
    'https://tools.example/mcp/',
    'https://evil.example/mcp',
  ])('go to no other, and nothing is called without them: %s', (to) => {
    const program: SealedTransport = { type: 'stdio', command: 'server', args: [], env: secret };
    for (const transport of [http(secret), program]) {
      expect(() => lent(transport, to)).toThrow(
        expect.objectContaining({
          code: 'secrets_lent_elsewhere',
          message: expect.stringContaining('The target of "lent" in this environment names another endpoint'),
        }),
      );
    }
  });

  test('are no matter of a server that has none', () => {
    expect(lent(http({}), 'https://evil.example/mcp')).toMatchObject({ headers: {} });
  });
});
