import http from 'node:http';
import type { AddressInfo, LookupFunction } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createGuardedFetch } from './guarded-fetch.ts';
import type { OutsideCallError } from './outside-call-error.ts';

let requests: http.IncomingMessage[] = [];
let server: http.Server;
let elsewhere: http.Server;
let base: string;
let elsewhereBase: string;

beforeAll(async () => {
  server = await listening((request, response) => {
    requests.push(request);
    answer(request, response);
  });
  elsewhere = await listening((request, response) => response.end(JSON.stringify(request.headers)));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  elsewhereBase = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}`;
});

afterAll(() => {
  for (const each of [server, elsewhere]) {
    each.close();
    each.closeAllConnections();
  }
});

function listening(handler: http.RequestListener): Promise<http.Server> {
  const created = http.createServer(handler);
  return new Promise((resolve) => created.listen(0, '127.0.0.1', () => resolve(created)));
}

function answer(request: http.IncomingMessage, response: http.ServerResponse): void {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://x');
  if (pathname === '/redirect') {
    response
      .writeHead(Number(searchParams.get('status') ?? 302), { location: searchParams.get('to') ?? '' })
      .end('moved');
  } else if (pathname === '/loop') {
    response.writeHead(302, { location: '/loop' }).end();
  } else if (pathname === '/zeros') {
    for (let sent = 0; sent < 40; sent++) response.write(Buffer.alloc(1000));
    response.end();
  } else if (pathname === '/gzip') {
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('x'.repeat(5000)));
  } else if (pathname === '/stall') {
    response.write('beginning');
  } else if (pathname === '/cut') {
    response.writeHead(200, { 'content-length': '100' });
    response.write('beginning', () => request.socket.destroy());
  } else if (pathname !== '/silent') {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const { method, headers } = request;
      response.setHeader('set-cookie', ['a=1', 'b=2']);
      response.end(JSON.stringify({ method, headers, body: Buffer.concat(parts).toString() }));
    });
  }
}

/** Names that the tests own: what each resolves to. */
const lookup: LookupFunction = (hostname, options, callback) => {
  const addresses = {
    'metadata.example': ['169.254.169.254'],
    'mixed.example': ['93.184.216.34', '169.254.169.254'],
    'local.example': ['127.0.0.1'],
    'six.example': ['fd00:ec2::254'],
  }[hostname] ?? ['127.0.0.1'];
  const found = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  if (options.all === true) callback(null, found);
  else callback(null, found[0]?.address ?? '', found[0]?.family ?? 4);
};

const open = createGuardedFetch({ allowPrivate: true, lookup });
const closed = createGuardedFetch({ allowPrivate: false, lookup });

const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => Promise.reject(new Error('the call was not refused')),
    (error: OutsideCallError) => error,
  );

const loopbackSpellings = [
  '127.0.0.1',
  '127.0.0.1.',
  '127.1',
  '127.0.1',
  '127.000.000.001',
  '2130706433',
  '017700000001',
  '0x7f000001',
  '0x7F.0x0.0x0.0x1',
  '0177.0.0.1',
  '0177.0.0.01',
  '0177.1',
  '0x7f.1',
  '0x7f.0.1',
  '%31%32%37.0.0.1',
  '127%2e0%2e0%2e1',
  '１２７.０.０.１',
  '127。0。0。1',
  '127．0．0．1',
  '①②⑦.⓪.⓪.①',
  '127.0.0.2',
  '127.8.8.8',
  '[::1]',
  '[0:0:0:0:0:0:0:1]',
  '[0000::0001]',
  '[::ffff:127.0.0.1]',
  '[::FFFF:7F00:1]',
  '[0:0:0:0:0:ffff:7f00:0001]',
  '[::ffff:0:127.0.0.1]',
  '[64:ff9b::127.0.0.1]',
  '[2002:7f00:1::]',
  'localhost',
  'LOCALHOST',
  'localhost.',
  'ⓛocalhost',
  'local.example',
];

const forbiddenSpellings = [
  '0',
  '0.0.0.0',
  '0x0',
  '00000',
  '[::]',
  '[::0.0.0.0]',
  '169.254.169.254',
  '169.254.169.254.',
  '169.254.43518',
  '169.16689662',
  '2852039166',
  '0xa9fea9fe',
  '0xA9.0xFE.0xA9.0xFE',
  '0251.0376.0251.0376',
  '0251.254.169.254',
  '025177524776',
  '169。254。169。254',
  '%31%36%39.254.169.254',
  '①⑥⑨.254.169.254',
  '[::ffff:169.254.169.254]',
  '[::ffff:a9fe:a9fe]',
  '[0:0:0:0:0:FFFF:A9FE:A9FE]',
  '[::169.254.169.254]',
  '[::ffff:0:a9fe:a9fe]',
  '[64:ff9b::169.254.169.254]',
  '[64:ff9b:1::a9fe:a9fe]',
  '[2002:a9fe:a9fe::]',
  '[2001:0:a9fe:a9fe::1]',
  '[fd00:ec2::254]',
  '[fd00:0ec2:0:0:0:0:0:0254]',
  '[fe80::1]',
  '[ff02::1]',
  '224.0.0.1',
  '255.255.255.255',
  '100.100.100.200',
  'metadata.example',
  'mixed.example',
  'six.example',
];

test.each(loopbackSpellings)(
  'an installation that closes private networks does not call %s',
  async (host) => {
    requests = [];
    const error = await failure(closed(`http://${host}:${new URL(base).port}/`));
    expect(error).toMatchObject({ name: 'OutsideCallError', code: 'blocked_address' });
    expect(error.message).toContain('ASSAY_ALLOW_PRIVATE_NETWORK');
    expect(requests).toEqual([]);
  },
);

test.each(forbiddenSpellings)('no installation calls %s', async (host) => {
  const error = await failure(open(`http://${host}:${new URL(base).port}/latest/meta-data/`));
  expect(error).toMatchObject({ name: 'OutsideCallError', code: 'blocked_address' });
  expect(error.message).toContain('is never called');
});

test('an installation that opens private networks reaches a server on this machine, by name and by address', async () => {
  const init = { method: 'POST', body: '{"a":"ü"}', headers: { authorization: 'Bearer key-123' } };
  for (const host of ['127.0.0.1', 'local.example']) {
    const response = await open(`http://${host}:${new URL(base).port}/`, init);
    expect(response.status).toBe(200);
    expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
    expect(await response.json()).toMatchObject({
      method: 'POST',
      body: '{"a":"ü"}',
      headers: { authorization: 'Bearer key-123', 'content-length': '10' },
    });
  }
});

test.each([
  'file:///etc/passwd',
  'ftp://127.0.0.1/',
  'data:text/plain,x',
  'javascript:1',
  '//127.0.0.1/',
  'nonsense',
  'http://[::1',
])('%s is no address to call', async (address) => {
  expect(await failure(open(address))).toMatchObject({ code: 'bad_address' });
});

test('credentials in an address are refused and not repeated', async () => {
  const error = await failure(open(base.replace('//', '//user:hunter22@')));
  expect(error.code).toBe('bad_address');
  expect(`${error.message} ${error.url}`).not.toContain('hunter22');
});

test.each(['http://169.254.169.254/', 'http://metadata.example/', 'file:///etc/passwd'])(
  'a redirect to %s is refused',
  async (to) => {
    const error = await failure(open(`${base}/redirect?to=${encodeURIComponent(to)}`));
    expect(['blocked_address', 'bad_address']).toContain(error.code);
  },
);

test('a redirect within the origin keeps the headers, one to another origin loses what could be a key', async () => {
  const headers = {
    authorization: 'Bearer key-123',
    'x-api-key': 'key-456',
    cookie: 'a=1',
    accept: 'text/plain',
  };
  const to = (address: string) => open(`${base}/redirect?to=${encodeURIComponent(address)}`, { headers });
  expect(await (await to('/')).json()).toMatchObject({ headers });
  const received = await (await to(`${elsewhereBase}/`)).json();
  expect(received).toMatchObject({ accept: 'text/plain' });
  for (const name of ['authorization', 'x-api-key', 'cookie']) expect(received).not.toHaveProperty(name);
});

test.each([
  [301, 'GET', ''],
  [302, 'GET', ''],
  [303, 'GET', ''],
  [307, 'POST', 'text'],
  [308, 'POST', 'text'],
])('after a %i a POST is repeated as %s', async (status, method, body) => {
  const response = await open(`${base}/redirect?status=${status}&to=/`, { method: 'POST', body: 'text' });
  expect(await response.json()).toMatchObject({ method, body });
});

test('redirects end: after five, at once where the caller says so, and never followed where it wants to see them', async () => {
  requests = [];
  expect(await failure(open(`${base}/loop`))).toMatchObject({ code: 'too_many_redirects' });
  expect(requests).toHaveLength(6);
  expect(await failure(open(`${base}/loop`, { redirect: 'error' }))).toMatchObject({
    code: 'too_many_redirects',
  });
  const seen = await open(`${base}/loop`, { redirect: 'manual' });
  expect([seen.status, seen.headers.get('location')]).toEqual([302, '/loop']);
});

test('a response larger than the limit fails while it is read, also when it grows by decompression', async () => {
  const limited = createGuardedFetch({ allowPrivate: true, maxBytes: 4999 });
  for (const path of ['/zeros', '/gzip']) {
    const response = await limited(base + path);
    expect(await failure(response.arrayBuffer())).toMatchObject({ code: 'response_too_large' });
  }
  expect(await (await open(`${base}/gzip`)).text()).toBe('x'.repeat(5000));
});

test('a server that says nothing is given up, before its response and in the middle of it', async () => {
  const impatient = createGuardedFetch({ allowPrivate: true, idleMs: 100 });
  expect(await failure(impatient(`${base}/silent`))).toMatchObject({ code: 'timeout' });
  const response = await impatient(`${base}/stall`);
  await expect(response.text()).rejects.toThrow();
});

test('a response that breaks off is an error, not a shorter response', async () => {
  const response = await open(`${base}/cut`);
  await expect(response.text()).rejects.toThrow();
});

test('a refused connection says so, without the query of the address', async () => {
  const error = await failure(open('http://127.0.0.1:1/mcp?key=hunter22'));
  expect(error).toMatchObject({ code: 'unreachable' });
  expect(error.message).toContain('http://127.0.0.1:1/mcp could not be reached: the connection was refused');
  expect(error.message).not.toContain('hunter22');
});

test('an abort ends the call with the reason of its signal, before and during the response', async () => {
  const reason = new Error('cancelled by the user');
  expect(await failure(open(base, { signal: AbortSignal.abort(reason) }))).toBe(reason);
  const waiting = new AbortController();
  const pending = failure(open(`${base}/silent`, { signal: waiting.signal }));
  setTimeout(() => waiting.abort(reason), 20);
  expect(await pending).toBe(reason);
  const reading = new AbortController();
  const response = await open(`${base}/stall`, { signal: reading.signal });
  setTimeout(() => reading.abort(reason), 20);
  await expect(response.text()).rejects.toThrow();
});
