import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { AssayClient } from '../contract/client.ts';
import { mcpOverHttp } from './http.ts';

const headers = {
  accept: 'application/json, text/event-stream',
  'content-type': 'application/json',
};

/** The endpoint, with operations of which listing suites waits until it is aborted. */
function endpoint() {
  const aborted: string[] = [];
  const begun: string[] = [];
  const list = (input: { search: string }, { signal }: { signal: AbortSignal }) => {
    begun.push(input.search);
    return new Promise((_, reject) => {
      signal.addEventListener('abort', () => {
        aborted.push(input.search);
        reject(signal.reason);
      });
    });
  };
  const serve = mcpOverHttp('1', () => {});
  const client = { testSuites: { list } } as unknown as AssayClient;
  const post = (message: object, { principal = 'user:a', session = '', signal }: Sender = {}) =>
    serve(
      new Request('http://127.0.0.1/mcp', {
        method: 'POST',
        headers: session === '' ? headers : { ...headers, 'mcp-session-id': session },
        body: JSON.stringify(message),
        ...(signal === undefined ? {} : { signal }),
      }),
      { client, principal, stands: async () => {} },
    );
  const call = async (name: string, sender: Sender = {}) => {
    const response = await post(
      {
        jsonrpc: '2.0',
        id: 7,
        method: 'tools/call',
        params: { name: 'list-test-suites', arguments: { search: name } },
      },
      sender,
    );
    await expect.poll(() => begun).toContain(name);
    return response;
  };
  const cancel = (sender: Sender, requestId: unknown = 7) =>
    post({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } }, sender);
  return { aborted, call, cancel, post };
}

interface Sender {
  principal?: string;
  session?: string;
  signal?: AbortSignal;
}

const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
};

describe('a call of the older protocol generation', () => {
  test('is ended by a message of the same client in the same session', async () => {
    const { aborted, call, cancel, post } = endpoint();
    const opened = await post(initialize);
    const session = opened.headers.get('mcp-session-id') ?? '';
    expect(session).toMatch(/^[0-9a-f-]{36}$/);
    const response = await call('mine', { session });
    expect((await cancel({ session })).status).toBe(202);
    expect(aborted).toEqual(['mine']);
    expect(await response.text()).not.toContain('result');
  });

  test('is not ended by anybody else', async () => {
    const { aborted, call, cancel } = endpoint();
    const session = 'one';
    await call('first', { session });
    await cancel({ session, principal: 'user:b' });
    await cancel({ session: 'two' });
    await cancel({});
    await cancel({ session }, '7');
    await cancel({ session }, 8);
    expect(aborted).toEqual([]);
    await cancel({ session });
    expect(aborted).toEqual(['first']);
  });

  test('that was ended has nothing left behind to be ended again', async () => {
    const { aborted, call, cancel } = endpoint();
    const session = 'one';
    await call('first', { session });
    await cancel({ session });
    await cancel({ session });
    await call('second', { session });
    await cancel({ session });
    expect(aborted).toEqual(['first', 'second']);
  });
});

test.each([
  ['older', {}],
  [
    'newer',
    {
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    },
  ],
])('a call of the %s generation ends when its client hangs up', async (_, meta) => {
  const hangUp = new AbortController();
  const aborted = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const list = (_input: unknown, { signal }: { signal: AbortSignal }) => {
    begun.resolve();
    return new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => {
        aborted.resolve();
        reject(signal.reason);
      });
    });
  };
  const modern = '_meta' in meta;
  const serving = mcpOverHttp('1', () => {})(
    new Request('http://127.0.0.1/mcp', {
      method: 'POST',
      headers: {
        ...headers,
        ...(modern
          ? {
              'mcp-protocol-version': '2026-07-28',
              'mcp-method': 'tools/call',
              'mcp-name': 'list-test-suites',
            }
          : {}),
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'list-test-suites', arguments: {}, ...meta },
      }),
      signal: hangUp.signal,
    }),
    {
      client: { testSuites: { list } } as unknown as AssayClient,
      principal: 'user:a',
      stands: async () => {},
    },
  );
  await begun.promise;
  hangUp.abort();
  await aborted.promise;
  await Promise.race([serving, sleep(1_000)]);
});
