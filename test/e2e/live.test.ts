import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { EventStream } from './event-stream.ts';
import { type Installation, installation, type Started, scriptedAssay } from './installation.ts';

interface ResultEvent {
  type: 'result';
  seq: number;
  testCase: { name: string };
  outcome: string;
  reason: string;
  durationMs: number;
}
interface ProgressEvent {
  type: 'progress';
  status: string;
  done: number;
}
type RunEvent = ResultEvent | ProgressEvent;

const agent = {
  kind: 'agent',
  name: 'scripted',
  versions: [{ name: 'v1', status: 'active', model: 'offline', instructions: 'Do as you are told.' }],
  deployments: { dev: 'v1' },
};
const caseNamed = (name: string, request: string) => ({
  kind: 'test-case',
  name,
  agent: 'scripted',
  environment: 'dev',
  conversation: { type: 'single', request },
  checks: [{ type: 'tool_called', tool: 'echo' }],
});
function suite(name: string, requests: string[]) {
  const names = requests.map((_, index) => `${name} ${index + 1}`);
  const cases = requests.map((request, index) => caseNamed(names[index] ?? '', request));
  return [...cases, { kind: 'test-suite', name, testCaseIds: names }];
}
const objects = [
  agent,
  ...suite(
    'many',
    Array.from({ length: 60 }, (_, index) => `wait ${20 + ((index * 37) % 90)} then echo it`),
  ),
  ...suite(
    'slow',
    Array.from({ length: 16 }, (_, index) =>
      index === 9 ? 'wait 250 then say no' : 'wait 250 then echo it',
    ),
  ),
];

let place: Installation;
let server: Started;
let url: string;
let token: string;
beforeAll(async () => {
  place = await installation();
  await serve();
  token = (await readFile(join(place.home, 'operator-token'), 'utf8')).trim();
  const path = join(place.files, 'live.yaml');
  await writeFile(path, objects.map((object) => JSON.stringify(object)).join('\n---\n'));
  expect(await place.assay(['apply', '-f', path])).toMatchObject({ code: 0 });
});
afterAll(() => place.remove());

/** Serves again where it was served before. */
async function serve(): Promise<void> {
  const port = url === undefined ? '0' : new URL(url).port;
  server = place.start(['serve', '--port', port], { script: scriptedAssay });
  [, url = ''] = await server.said('stdout', /serves (http:\S+) on/);
}

async function start(testSuiteId: string, parallel: number): Promise<string> {
  const response = await fetch(`${url}/api/test-runs`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ testSuiteId, parallel }),
  });
  return ((await response.json()) as { id: string }).id;
}

const streamOf = (runId: string, query = '') =>
  new EventStream(`${url}/api/test-runs/${runId}/events${query}`, token);
const eventsOf = ({ events }: EventStream) =>
  events.filter(({ event }) => event === 'message').map(({ data }) => data as RunEvent);
const resultsOf = (stream: EventStream) =>
  eventsOf(stream).flatMap((event) => (event.type === 'result' ? [event] : []));
const seqsOf = (stream: EventStream) => resultsOf(stream).map(({ seq }) => seq);

function isOver(stream: EventStream): boolean {
  const last = eventsOf(stream).at(-1);
  return last?.type === 'progress' && ['finished', 'cancelled'].includes(last.status);
}

/** Everything about a run that is over, as it was recorded. */
async function recordedOrder(runId: string): Promise<number[]> {
  const stream = streamOf(runId);
  expect(await stream.read()).toBe(true);
  expect(isOver(stream)).toBe(true);
  return seqsOf(stream);
}

const everySeq = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

describe('the event stream of a run', () => {
  test('tells of each result as it is recorded, and of the end of the run last', async () => {
    const runId = await start('slow', 4);
    const stream = streamOf(runId);
    expect(await stream.read()).toBe(true);
    expect(isOver(stream)).toBe(true);
    expect(seqsOf(stream).toSorted((left, right) => left - right)).toEqual(everySeq(16));
    expect(resultsOf(stream).find(({ seq }) => seq === 10)).toEqual({
      type: 'result',
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      seq: 10,
      testCase: { id: expect.any(String), name: 'slow 10' },
      outcome: 'failed',
      reason: expect.stringMatching(/echo/),
      durationMs: expect.any(Number),
    });
    expect(stream.events.every(({ id }) => id !== undefined)).toBe(true);
  });

  test('gives a client that breaks off anywhere and comes back each result once, in the order of recording', async () => {
    const helper = place.start(['worker'], { script: scriptedAssay });
    await helper.said('stderr', /Working on runs/);
    const breaks = fc.array(fc.integer({ min: 0, max: 3_000 }), { minLength: 1, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(breaks, async (bytes) => {
        const runId = await start('many', 16);
        const stream = streamOf(runId);
        for (let nth = 0; !isOver(stream); nth += 1) {
          await stream.read({
            breakAfter: bytes[nth % bytes.length] === 0 ? 700 : (bytes[nth % bytes.length] ?? 0),
          });
          // one that never gets far enough for an event gets no further
          if (nth > 200) await stream.read();
        }
        expect(seqsOf(stream)).toEqual(await recordedOrder(runId));
        expect(seqsOf(stream).toSorted((left, right) => left - right)).toEqual(everySeq(60));
      }),
      { numRuns: 6 },
    );
    helper.process.kill('SIGTERM');
    await helper.ended;
  });

  test('goes on behind any event of a run that has ended meanwhile', async () => {
    const runId = await start('many', 16);
    const whole = streamOf(runId);
    await whole.read();
    const order = seqsOf(whole);
    const messages = whole.events.filter(({ event }) => event === 'message');
    await fc.assert(
      fc.asyncProperty(fc.nat(messages.length - 1), async (at) => {
        const resumed = streamOf(runId);
        resumed.lastEventId = messages[at]?.id;
        expect(await resumed.read()).toBe(true);
        const before = messages.slice(0, at + 1).filter(({ data }) => (data as RunEvent).type === 'result');
        expect(seqsOf(resumed)).toEqual(order.slice(before.length));
        expect(isOver(resumed)).toBe(true);
      }),
      { numRuns: 25 },
    );
  });

  test('goes on after the server was killed and started anew, while another process works', async () => {
    const helper = place.start(['worker'], { script: scriptedAssay });
    await helper.said('stderr', /Working on runs/);
    const runId = await start('slow', 2);
    const stream = streamOf(runId);
    const first = stream.read();
    await expect.poll(() => seqsOf(stream).length).toBeGreaterThan(2);
    server.process.kill('SIGKILL');
    await server.ended;
    expect(await first).toBe(false);
    await serve();
    expect(await stream.read()).toBe(true);
    expect(isOver(stream)).toBe(true);
    expect(seqsOf(stream)).toEqual(await recordedOrder(runId));
    expect(seqsOf(stream).toSorted((left, right) => left - right)).toEqual(everySeq(16));
    helper.process.kill('SIGTERM');
    await helper.ended;
  });

  test('ends with an error, and not as if the run had ended, when the server stops', async () => {
    const runId = await start('slow', 1);
    const stream = streamOf(runId);
    const reading = stream.read();
    await expect.poll(() => seqsOf(stream).length).toBeGreaterThan(0);
    server.process.kill('SIGTERM');
    await reading;
    expect(stream.events.at(-1)).toMatchObject({ event: 'error', data: { code: 'unavailable' } });
    expect(isOver(stream)).toBe(false);
    expect(await server.ended).toMatchObject({ code: 0 });
    await serve();
    await stream.read();
    expect(isOver(stream)).toBe(true);
    expect(seqsOf(stream)).toEqual(await recordedOrder(runId));
  });

  test('leaves results out where nobody wants them, and refuses an id that is none of its own', async () => {
    const runId = await start('slow', 16);
    const bare = streamOf(runId, '?results=none');
    await bare.read();
    expect(isOver(bare)).toBe(true);
    expect(resultsOf(bare)).toEqual([]);
    for (const id of ['nonsense', '17.1', '1.17', '-2.1', '1.1.1', '']) {
      const stream = streamOf(runId);
      stream.lastEventId = id;
      const reading = stream.read();
      if (id === '') await reading;
      else await expect(reading, id).rejects.toThrow('refused with 400');
    }
  });
});

describe('a command that waits for a run', () => {
  test('rides out a restart of the server, and tells of each failed case once', async () => {
    const waiting = place.start(['test', 'run', '--suite', 'slow', '--wait', '--parallel', '2', '--json']);
    await waiting.said('stderr', /failed slow 10: /);
    server.process.kill('SIGKILL');
    await server.ended;
    await waiting.said('stderr', /Trying again for 60 s/);
    await serve();
    const ended = await waiting.ended;
    expect(ended.code, ended.stderr).toBe(1);
    expect(JSON.parse(ended.stdout)).toMatchObject({ status: 'finished', totals: { tests: 16, failed: 1 } });
    expect(ended.stderr.match(/failed slow 10: /g)).toHaveLength(1);
  });

  test('gives up a server that does not come back, and says that the run goes on', async () => {
    const waiting = place.start(['test', 'run', '--suite', 'slow', '--wait', '--reconnect', '1']);
    await waiting.said('stderr', /\/16 cases/);
    server.process.kill('SIGKILL');
    await server.ended;
    const ended = await waiting.ended;
    expect(ended.code).toBe(2);
    expect(ended.stderr).toMatch(
      /^assay: The connection to .* was lost: .*The run goes on.*assay test result [0-9a-f-]{36}/m,
    );
    await serve();
  });
});
