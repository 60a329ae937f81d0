import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { serverProof } from '../contract/server-proof.ts';
import { findRunningServer } from './running-server.ts';

const token = 'assay_token-of-this-installation';
let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'running-server-'));
  await writeFile(join(home, 'operator-token'), `${token}\n`);
});
afterEach(() => rm(home, { recursive: true }));

/** Serves an answer, and a server file that names it as a process that lives. */
async function announced(answer: (challenge: string) => object) {
  const asked: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    asked.push(request);
    const challenge = new URL(request.url ?? '', 'http://localhost').searchParams.get('challenge');
    response.end(JSON.stringify(answer(challenge ?? '')));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
  });
  const found = { pid: process.pid, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
  await writeFile(join(home, 'serve.json'), JSON.stringify(found));
  return { ...found, asked };
}

test('a server that proves to know the operator token is found, with that token', async () => {
  const { pid, url } = await announced((challenge) => ({
    status: 'ok',
    proof: serverProof(token, challenge),
  }));
  expect(await findRunningServer(home)).toEqual({ pid, url, token });
});

test.each([
  ['a file', '/etc/passwd'],
  ['below a file', '/dev/null/x'],
  ['too long a name', `/tmp/${'x'.repeat(300)}`],
])('where the data directory is %s, no server runs', async (_, path) => {
  expect(await findRunningServer(path)).toBeNull();
});

test.each([
  ['proves nothing', () => ({ status: 'ok' })],
  ['knows another token', (challenge: string) => ({ status: 'ok', proof: serverProof('other', challenge) })],
  ['repeats an older proof', () => ({ status: 'ok', proof: serverProof(token, 'an older challenge') })],
])('whatever took the address of a server and %s is not told the token', async (_, answer) => {
  const { asked } = await announced(answer);
  expect(await findRunningServer(home)).toBeNull();
  expect(asked).toHaveLength(1);
  expect(JSON.stringify([asked[0]?.url, asked[0]?.rawHeaders])).not.toContain(token);
});

test('every look challenges anew', async () => {
  const { asked } = await announced(() => ({ status: 'ok' }));
  await findRunningServer(home);
  await findRunningServer(home);
  expect(new Set(asked.map(({ url }) => url)).size).toBe(2);
});

test('without an operator token no server can be proved', async () => {
  await announced((challenge) => ({ status: 'ok', proof: serverProof(token, challenge) }));
  await rm(join(home, 'operator-token'));
  expect(await findRunningServer(home)).toBeNull();
});
