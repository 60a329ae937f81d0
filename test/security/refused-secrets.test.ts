import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type People, people, untilThere } from './people.ts';

let all: People;
beforeAll(async () => {
  all = await people();
}, untilThere);
afterAll(() => all?.leave());

const canary = 'S3CRET-canary';
/** As a number it is spelled like this. */
const pin = 734_190_265;

/** Every shape but the right one, at each depth down to the secret. */
const wrongTransports: [string, unknown][] = [
  ['text for the transport', canary],
  ['a list for the transport', [{ headers: { Authorization: canary } }]],
  ['an unknown type', { type: 'htpp', url: 'http://h/mcp', headers: { Authorization: canary } }],
  ['a misspelled group', { type: 'http', url: 'http://h/mcp', haeders: { Authorization: canary } }],
  ['a misspelled text', { type: 'http', url: 'http://h/mcp', authorization: canary }],
  ['a password in the address', { type: 'http', url: `ftp://me:${canary}@h/mcp` }],
  ['a password in an address otherwise right', { type: 'http', url: `http://me:${canary}@h/mcp` }],
  ['a header with a line break', { type: 'http', url: 'http://h/mcp', headers: { A: `${canary}\n` } }],
  ['a header of the connection', { type: 'http', url: 'http://h/mcp', headers: { Host: canary } }],
  [
    'a secret for the name of a header',
    { type: 'http', url: 'http://h/mcp', headers: { [`B ${canary}`]: 'A' } },
  ],
  ['a secret in the name of a variable', { type: 'stdio', command: 'x', env: { [`A=${canary}`]: '' } }],
  ['text for the headers', { type: 'http', url: 'http://h/mcp', headers: `Authorization: ${canary}` }],
  ['a list for the headers', { type: 'http', url: 'http://h/mcp', headers: [canary] }],
  ['a number for a header', { type: 'http', url: 'http://h/mcp', headers: { Authorization: pin } }],
  ['a list for a header', { type: 'http', url: 'http://h/mcp', headers: { Authorization: [canary] } }],
  [
    'a misspelled value',
    { type: 'http', url: 'http://h/mcp', headers: { Authorization: { template: 'x', valeu: canary } } },
  ],
  [
    'a value without a template',
    { type: 'http', url: 'http://h/mcp', headers: { Authorization: { value: canary } } },
  ],
  [
    'an object for a value',
    { type: 'http', url: 'http://h/mcp', headers: { A: { template: 'x', value: { of: canary } } } },
  ],
  [
    'a number for a value',
    { type: 'http', url: 'http://h/mcp', headers: { A: { template: 'x', value: pin } } },
  ],
  [
    'the secret as a name',
    { type: 'http', url: 'http://h/mcp', headers: { A: { template: 'x', [canary]: 1 } } },
  ],
  ['a number in env', { type: 'stdio', command: 'x', env: { PIN: pin } }],
  ['text for env', { type: 'stdio', command: 'x', env: `TOKEN=${canary}` }],
  ['a list for env', { type: 'stdio', command: 'x', env: [`TOKEN=${canary}`] }],
  ['env of an HTTP server', { type: 'http', url: 'http://h/mcp', env: { TOKEN: canary } }],
];

function expectNoSecret(answer: unknown): void {
  const text = JSON.stringify(answer);
  expect(text).not.toContain('canary');
  expect(text).not.toContain(String(pin));
}

describe.each(wrongTransports)('%s', (_, transport) => {
  test('is refused over HTTP without the secret', async () => {
    const { status, body } = await all.admin.ask('/api/mcp-servers', {
      method: 'POST',
      body: { name: 'files', transport },
    });
    expect(status).toBe(400);
    expect(body).toMatchObject({ code: 'invalid_input', details: [expect.anything()] });
    expectNoSecret(body);
  });

  test('is refused over MCP without the secret', async () => {
    const body = {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'create-mcp-server', arguments: { name: 'files', transport } },
    };
    const headers = { accept: 'application/json, text/event-stream' };
    const answer = await all.admin.ask('/mcp', { method: 'POST', headers, body });
    expect(String(answer.body)).toContain('The input is not valid.');
    expectNoSecret(answer.body);
  });

  test('is refused in a file without the secret', async () => {
    const text = JSON.stringify({ kind: 'mcp-server', name: 'files', transport });
    const { status, body } = await all.admin.ask('/api/apply', {
      method: 'POST',
      body: { files: [{ path: 'servers.json', text }] },
    });
    expect(status).toBe(400);
    expectNoSecret(body);
  });
});

test.each([
  `headers: { Authorization: *${canary} }`,
  `headers: { Authorization: !${canary} x }`,
  `headers: { Authorization: |${canary} }`,
  `headers:\n    Authorization: |${canary}\n      x`,
  'headers: { Authorization: 73419026512345678901 }',
])('a file that is read otherwise than it was meant is refused without the secret: %s', async (headers) => {
  const text = `kind: mcp-server\nname: files\ntransport:\n  type: http\n  url: http://h/mcp\n  ${headers}\n`;
  const { status, body } = await all.admin.ask('/api/apply', {
    method: 'POST',
    body: { files: [{ path: 'servers.yaml', text }] },
  });
  expect(status).toBe(400);
  expectNoSecret(body);
  expect(JSON.stringify(body)).not.toContain('734190265');
});

test.each([
  { providers: canary },
  { providers: { openai: canary } },
  { providers: { openai: [canary] } },
  { providers: { openai: { key: pin } } },
  { providers: { openai: { key: [canary] } } },
  { providers: { openai: { key: `${canary} with a space` } } },
  { providers: { openai: { kye: canary } } },
  { providers: { openai: { baseUrl: `https://me:${canary}@h` } } },
  { providers: { openai: { baseUrl: `https://h/?key=${canary}` } } },
  { key: canary },
])('settings are refused without the key: %j', async (change) => {
  const { status, body } = await all.admin.ask('/api/settings', {
    method: 'PUT',
    body: { revision: 0, ...change },
  });
  expect(status).toBe(400);
  expectNoSecret(body);
});

test('an input of very many wrong fields gets an answer that can be read', async () => {
  const many = Object.fromEntries(Array.from({ length: 60_000 }, (_, index) => [`field${index}`, 1]));
  const { status, body } = await all.admin.ask('/api/prompts', {
    method: 'POST',
    body: { name: 'p', body: 'x', ...many },
  });
  expect(status).toBe(400);
  const { message, details } = body as { message: string; details: object[] };
  expect(message).toMatch(/; and 59997 more\.$/);
  expect(details).toHaveLength(101);
  expect(details.at(-1)).toEqual({ message: 'and 59900 more' });

  const headers = { accept: 'application/json, text/event-stream' };
  const call = { name: 'create-prompt', arguments: { name: 'p', body: 'x', ...many } };
  const answer = await all.admin.ask('/mcp', {
    method: 'POST',
    headers,
    body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: call },
  });
  expect(String(answer.body)).toContain('- and 59900 more');
  expect(String(answer.body).length).toBeLessThan(20_000);
});
