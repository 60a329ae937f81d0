import { type ChildProcess, spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { removeHome, temporaryHome } from '../test/temporary-home.ts';
import { assay, packaged, stubbed, writeSuite } from './assay.ts';

// What a server answers in a second, and how long a call takes, with 100,000 results stored. `npm run bench:serving`.

const casesOfRun = 10_000;
const runs = 10;
const secondsEach = 5;
const connections = 10;
const toolCalls = 1_000;

const home = await temporaryHome();
const processes: ChildProcess[] = [];

/** Starts a process and gives what stands on its output as soon as it matches. */
function start(args: string[], said: RegExp): Promise<string> {
  const child = spawn(process.execPath, args, {
    env: { ...process.env, ASSAY_HOME: home },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  processes.push(child);
  return new Promise((resolve, reject) => {
    let text = '';
    child.stdout?.on('data', (chunk) => {
      text += chunk;
      const found = said.exec(text)?.[1];
      if (found !== undefined) resolve(found);
    });
    child.once('close', (code) => reject(new Error(`${args.join(' ')} ended with ${code}`)));
  });
}

function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** Asks again and again over some connections at once. */
async function load(name: string, ask: () => Promise<Response>): Promise<void> {
  const times: number[] = [];
  const until = performance.now() + secondsEach * 1000;
  await Promise.all(
    Array.from({ length: connections }, async () => {
      while (performance.now() < until) {
        const begun = performance.now();
        const response = await ask();
        if (!response.ok) throw new Error(`${name}: ${response.status} ${await response.text()}`);
        await response.arrayBuffer();
        times.push(performance.now() - begun);
      }
    }),
  );
  times.sort((left, right) => left - right);
  const [p50, p99] = [percentile(times, 0.5).toFixed(1), percentile(times, 0.99).toFixed(1)];
  console.log(
    `  ${name.padEnd(44)} ${Math.round(times.length / secondsEach)} requests/s   p50 ${p50} ms   p99 ${p99} ms`,
  );
}

/** Milliseconds of one call after another. */
async function callTimes(client: Client, tool: string): Promise<number[]> {
  const times: number[] = [];
  for (let call = 0; call < toolCalls; call += 1) {
    const begun = performance.now();
    await client.callTool({ name: tool, arguments: {} });
    times.push(performance.now() - begun);
  }
  return times.sort((left, right) => left - right);
}

async function compare(name: string, ours: Client, bare: Client): Promise<void> {
  await callTimes(ours, 'list-prompts');
  await callTimes(bare, 'list-prompts');
  const [our, their] = [await callTimes(ours, 'list-prompts'), await callTimes(bare, 'list-prompts')];
  const line = [0.5, 0.99].map((share) => {
    const [mine, other] = [percentile(our, share), percentile(their, share)];
    return `p${share * 100} ${mine.toFixed(2)} / ${other.toFixed(2)} ms = ${(mine / other).toFixed(1)} ×`;
  });
  console.log(`  ${name.padEnd(20)} ${line.join('   ')}`);
  await ours.close();
  await bare.close();
}

async function connected(transport: StdioClientTransport | StreamableHTTPClientTransport): Promise<Client> {
  const client = new Client({ name: 'bench', version: '1' });
  await client.connect(transport);
  return client;
}

const stdio = (args: string[]) =>
  new StdioClientTransport({
    command: process.execPath,
    args,
    env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', ASSAY_HOME: home },
  });

try {
  await assay(['apply', '-f', writeSuite(home, 'many', casesOfRun)], home);
  const url = await start([stubbed, 'serve', '--port', '0'], /serves (http:\S+) on/);
  for (let run = 0; run < runs; run += 1) {
    await assay(['test', 'run', '--suite', 'many', '--parallel', '20', '--wait'], home);
  }
  const token = (await readFile(join(home, 'operator-token'), 'utf8')).trim();
  const headers = { authorization: `Bearer ${token}` };
  const get = (path: string) => () => fetch(`${url}/api${path}`, { headers });
  const { items } = (await (await get('/test-runs?limit=1')()).json()) as { items: { id: string }[] };
  const run = items[0]?.id;
  const page = (await (await get(`/test-runs/${run}/results?limit=50`)()).json()) as {
    items: { id: string }[];
    nextCursor: string;
  };
  console.log(
    `\n${runs * casesOfRun} results stored, ${connections} connections, ${secondsEach} s each, client and server on one machine:`,
  );
  await load('get a prompt-sized object: GET /me', get('/me'));
  await load('list 50 runs', get('/test-runs'));
  await load('list 50 results of a run', get(`/test-runs/${run}/results?limit=50`));
  await load('the page after that', get(`/test-runs/${run}/results?limit=50&cursor=${page.nextCursor}`));
  await load('list 50 failed results of a run (none)', get(`/test-runs/${run}/results?outcome=failed`));
  await load('get one result', get(`/test-results/${page.items[0]?.id}`));
  await load('list 50 test cases', get('/test-cases'));

  console.log(`\n${toolCalls} calls of one MCP tool, one after another, beside a bare server of the SDK:`);
  const bare = join(import.meta.dirname, 'bare-server.ts');
  await compare('over stdio', await connected(stdio([packaged, 'mcp'])), await connected(stdio([bare])));
  const bareUrl = await start([bare, 'http'], /(http:\S+)/);
  const http = (address: string) =>
    connected(new StreamableHTTPClientTransport(new URL(address), { requestInit: { headers } }));
  await compare('over HTTP', await http(`${url}/mcp`), await http(bareUrl));
} finally {
  for (const child of processes) {
    child.removeAllListeners('close');
    const ended = new Promise((resolve) => child.once('close', resolve));
    child.kill('SIGTERM');
    await ended;
  }
  await removeHome(home);
}
