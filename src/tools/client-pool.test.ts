import { readFileSync } from 'node:fs';
import { afterAll, describe, expect, test } from 'vitest';
import { never, recorder, scope, secrets, toolBench, unruly } from '../../test/tool-bench.ts';
import type { JsonObject } from '../core/json.ts';
import type { ToolSession } from '../core/ports.ts';

const { tools } = toolBench();
afterAll(() => tools.close());

async function run(session: ToolSession, name: string, args: JsonObject = {}) {
  const { emit, returned } = recorder();
  const [answer] = await session.callAll([{ callId: 'c1', name, args }], emit, 0, never);
  return { text: answer?.text ?? '', error: returned('c1').error };
}

const pidOf = async (session: ToolSession) => Number((await run(session, 'pid')).text);

/** Whether the process is there and not merely waiting to be collected by its parent. */
function runs(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/\nState:\s+Z/.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch (error) {
    if (['ESRCH', 'ENOENT'].includes((error as NodeJS.ErrnoException).code ?? '')) return false;
    throw error;
  }
}

/** The end of a killed grandchild is the system's to finish: it is not ours to be waited for. */
async function gone(pid: number): Promise<void> {
  await expect.poll(() => runs(pid), { timeout: 2_000 }).toBe(false);
}

describe('isolation by conversation', () => {
  test('each conversation has a process of its own, which ends with it', async () => {
    const sessions = await Promise.all([1, 2].map(() => tools.open([unruly()], scope('run-1'), never)));
    const pids = await Promise.all(sessions.map(pidOf));
    expect(new Set(pids).size).toBe(2);
    await sessions[0]?.close();
    expect(pids.map(runs)).toEqual([false, true]);
    await sessions[1]?.close();
    expect(pids.map(runs)).toEqual([false, false]);
  });
});

describe('isolation by run', () => {
  const shared = unruly('shared', [], { isolation: 'run' });

  test('the conversations of a run share a process, other runs have another, and the run ends it', async () => {
    const sessions = await Promise.all(
      ['run-a', 'run-a', 'run-b'].map((runId) => tools.open([shared], scope(runId), never)),
    );
    const [first, second, other] = (await Promise.all(sessions.map(pidOf))) as [number, number, number];
    expect(first).toBe(second);
    expect(other).not.toBe(first);
    await Promise.all(sessions.map((session) => session.close()));
    expect([first, other].map(runs)).toEqual([true, true]);
    await tools.closeRun('run-a');
    expect([first, other].map(runs)).toEqual([false, true]);
    await tools.closeRun('run-b');
    await gone(other);
  });

  test('a process that died is started again for the next conversation, not in the same one', async () => {
    const first = await tools.open([shared], scope('run-c'), never);
    const pid = await pidOf(first);
    await expect(run(first, 'crash')).rejects.toMatchObject({ code: 'server_lost' });
    await expect(run(first, 'pid')).rejects.toMatchObject({ code: 'server_lost' });
    const next = await tools.open([shared], scope('run-c'), never);
    expect(await pidOf(next)).not.toBe(pid);
    await expect(run(first, 'pid')).rejects.toMatchObject({ code: 'server_lost' });
    await tools.closeRun('run-c');
  });

  test('a failed start is tried again by the next conversation', async () => {
    const refusing = unruly('refusing', ['--refuse'], { isolation: 'run' });
    for (let attempt = 0; attempt < 2; attempt++) {
      await expect(tools.open([refusing], scope('run-d'), never)).rejects.toThrow(
        'It ended with exit code 3. Its last output: error: API_KEY is not set',
      );
    }
  });

  test('a conversation that is cancelled while it waits leaves the start to the others', async () => {
    const cancelled = new AbortController();
    const opening = [cancelled.signal, never].map((signal) => tools.open([shared], scope('run-e'), signal));
    const reason = new Error('cancelled');
    cancelled.abort(reason);
    await expect(opening[0]).rejects.toBe(reason);
    expect(await pidOf((await opening[1]) as ToolSession)).toBeGreaterThan(0);
    await tools.closeRun('run-e');
  });
});

test('where one of several servers cannot be reached, the others are ended', async () => {
  const before = children();
  const opening = tools.open([unruly(), unruly('refusing', ['--refuse'])], scope(), never);
  await expect(opening).rejects.toThrow('MCP server "refusing" could not be reached');
  expect(children()).toEqual(before);
});

test('an abort while a server starts rejects with its reason and ends the process', async () => {
  const before = children();
  const cancelled = new AbortController();
  const opening = tools.open([unruly()], scope(), cancelled.signal);
  const reason = new Error('cancelled');
  setTimeout(() => cancelled.abort(reason), 50);
  await expect(opening).rejects.toBe(reason);
  expect(children()).toEqual(before);
});

function children(): string[] {
  return readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').split(' ').filter(Boolean).sort();
}

describe('closing', () => {
  test('ends a server that ignores the end of its input and SIGTERM', async () => {
    const session = await tools.open([unruly('stubborn', ['--stubborn'])], scope(), never);
    const pid = await pidOf(session);
    await session.close();
    await gone(pid);
  });

  test('ends what a launcher started', async () => {
    const session = await tools.open([unruly('launched', ['--launch', '--stubborn'])], scope(), never);
    const pid = await pidOf(session);
    await session.close();
    await gone(pid);
  });

  test('ends everything that is still open, and opens nothing more', async () => {
    const bench = toolBench();
    const kinds = [unruly('own'), unruly('shared', [], { isolation: 'run' })];
    const sessions = await Promise.all(kinds.map((each) => bench.tools.open([each], scope(), never)));
    const pids = await Promise.all(sessions.map(pidOf));
    const late = bench.tools.open([unruly('late')], scope(), never);
    await Promise.all([bench.tools.close(), expect(late).rejects.toThrow('The tools were closed.')]);
    expect(pids.map(runs)).toEqual([false, false]);
    await expect(bench.tools.open([unruly()], scope(), never)).rejects.toThrow('The tools were closed.');
  });
});

test('a server that speaks only the newer protocol is spoken to in that one', async () => {
  const session = await tools.open([unruly('modern', ['--modern-only'])], scope(), never);
  expect(session.offered).toHaveLength(18);
  expect((await run(session, 'look')).text).toContain('look was called');
  await session.close();
});

test('a child process gets its own variables and none of the keys of this installation', async () => {
  const environment = {
    PATH: process.env.PATH,
    ASSAY_SECRET_KEY: 'k',
    OPENAI_API_KEY: 'sk',
    DATABASE_URL: 'p',
  };
  const bench = toolBench({ environment });
  const plain = unruly();
  const env = { SERVER_TOKEN: secrets.seal('hunter22-token') };
  const transport = { ...plain.transport, env } as typeof plain.transport;
  const session = await bench.tools.open([{ ...plain, transport }], scope(), never);
  expect((await run(session, 'environment')).text).toBe('PATH SERVER_TOKEN');
  expect((await run(session, 'variable', { name: 'SERVER_TOKEN' })).text).toBe('[redacted]');
  await bench.tools.close();
});
