import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { never, recorder, scope, secrets, toolBench, unruly } from '../../test/tool-bench.ts';
import { verifies } from '../../test/verifies.ts';
import type { SealedTransport } from '../core/frozen.ts';
import type { JsonObject } from '../core/json.ts';
import type { ToolCall, ToolSession } from '../core/ports.ts';

const { tools } = toolBench({ limits: { standard: 5_000, extended: 400, long: 60_000, connect: 20_000 } });
let session: ToolSession;
beforeAll(async () => {
  session = await tools.open([unruly()], scope(), never);
});
afterAll(() => tools.close());

/** A text stands for arguments that could not be read. */
const call = (name: string, args: JsonObject | string = {}, callId = 'c1'): ToolCall => ({
  callId,
  name,
  ...(typeof args === 'string' ? { unreadableArgs: args } : { args }),
});

/** One call in a trace of its own. */
async function run(name: string, args: JsonObject | string = {}, on = session) {
  const { events, emit, returned } = recorder();
  const [answer] = await on.callAll([call(name, args)], emit, 0, never);
  return { answer, events, end: returned('c1') };
}

describe('what is offered', () => {
  test('all pages of the list are read', () => {
    expect(session.offered).toHaveLength(18);
    expect(session.forModel.map(({ name }) => name)).toEqual(session.offered.map(({ name }) => name));
  });

  test(verifies('hints are kept as they were declared, and one that is absent stays absent', 'M33'), () => {
    const annotations = Object.fromEntries(session.offered.map((tool) => [tool.tool, tool.annotations]));
    expect(annotations.undeclared).toEqual({});
    expect(annotations.look).toEqual({ readOnlyHint: true, title: 'Look' });
    expect(annotations.erase).toEqual({ destructiveHint: true });
  });

  test('discovering lists the same tools, and leaves no process behind', async () => {
    const found = await tools.discover(unruly(), 'workspace-1', never);
    expect(found.map(({ tool }) => tool)).toEqual(session.offered.map(({ tool }) => tool));
  });
});

describe('the calls of one model message', () => {
  test(
    verifies('stand in the trace in the order listed before any is sent, and run at once', 'M33'),
    async () => {
      const { events, emit } = recorder();
      const calls = ['a', 'b', 'c'].map((id, index) => call('slow', { ms: 500 - index * 200 }, id));
      const started = performance.now();
      const answers = await session.callAll(calls, emit, 41, never);
      expect(performance.now() - started).toBeLessThan(900);
      expect(events.map(({ kind, data }) => [kind, (data as { callId: string }).callId])).toEqual([
        ['tool_called', 'a'],
        ['tool_called', 'b'],
        ['tool_called', 'c'],
        ['tool_returned', 'c'],
        ['tool_returned', 'b'],
        ['tool_returned', 'a'],
      ]);
      expect(events.map(({ parent }) => parent)).toEqual([41, 41, 41, 3, 2, 1]);
      const batches = events.flatMap((event) => (event.kind === 'tool_called' ? [event.data.batch] : []));
      expect(new Set(batches).size).toBe(1);
      expect(answers.map(({ callId, text }) => [callId, text])).toEqual([
        ['a', 'after 500 ms'],
        ['b', 'after 300 ms'],
        ['c', 'after 100 ms'],
      ]);
    },
  );

  test('of another message have another batch', async () => {
    const batches = new Set<string>();
    for (let message = 0; message < 2; message++) {
      const { events } = await run('look');
      for (const event of events) if (event.kind === 'tool_called') batches.add(event.data.batch);
    }
    expect(batches.size).toBe(2);
  });
});

test('a call and its result stand in the trace as they were sent and received', async () => {
  const { answer, events, end } = await run('undeclared', { path: 'a/ü', deep: { list: [1, null] } });
  expect(events[0]).toMatchObject({
    kind: 'tool_called',
    data: {
      callId: 'c1',
      server: 'unruly',
      tool: 'undeclared',
      args: { path: 'a/ü', deep: { list: [1, null] } },
    },
  });
  const text = 'undeclared was called with {"path":"a/ü","deep":{"list":[1,null]}}';
  expect(end).toMatchObject({
    result: { content: [{ type: 'text', text }] },
    isError: false,
    mocked: false,
    rule: null,
    seed: null,
    waitedMs: null,
  });
  expect(end.error).toBeUndefined();
  expect(answer).toEqual({ callId: 'c1', text, isError: false });
});

describe('a call that ends badly is an answer to the agent, once', () => {
  test("the tool's own error keeps its result", async () => {
    const { answer, end } = await run('fail');
    expect(end).toMatchObject({ isError: true, result: { content: [{ text: 'there is no such folder' }] } });
    expect(answer).toMatchObject({ isError: true, text: 'there is no such folder' });
  });

  test('a tool that does not exist was never sent, and the closest one is named', async () => {
    const { answer, events, end } = await run('undeclard', { a: 1 });
    expect(events[0]?.data).toMatchObject({ server: null, tool: 'undeclard', args: { a: 1 } });
    expect(end).toMatchObject({ isError: true, error: { code: 'unknown_tool' } });
    expect(answer?.text).toBe('There is no tool "undeclard". The closest one offered is "undeclared".');
  });

  test('arguments that are no JSON are not sent, and are shown', async () => {
    const { answer, events, end } = await run('undeclared', '{"path": ');
    expect(events[0]?.data).toMatchObject({
      server: null,
      tool: 'undeclared',
      args: '{"path": ',
    });
    expect(end).toMatchObject({ isError: true, error: { code: 'invalid_arguments' } });
    expect(answer?.text).toContain('{"path":');
  });

  test('no arguments that are JSON are taken for such, whatever their keys are', async () => {
    for (const key of ['invalidJson', 'unreadableArgs']) {
      const { answer, events } = await run('undeclared', { [key]: 'x' });
      expect(events[0]?.data).toMatchObject({ server: 'unruly', args: { [key]: 'x' } });
      expect(answer).toMatchObject({ isError: false, text: `undeclared was called with {"${key}":"x"}` });
    }
  });

  test('arguments that are no JSON show no part of a secret', async () => {
    const env = { TOKEN: secrets.seal('hunter22-token') };
    const transport = { ...unruly().transport, env } as SealedTransport;
    const keeping = await tools.open([unruly('keeping', [], { transport })], scope(), never);
    const { answer } = await run('undeclared', `${'.'.repeat(190)}hunter22-token`, keeping);
    expect(answer?.text).toContain('[redacted');
    expect(answer?.text).not.toContain('hunter');
    await keeping.close();
  });

  test('a tool that never answers ends at the limit of its profile, and the next call works', async () => {
    const quick = await tools.open([unruly('quick', [], { profile: 'extended' })], scope(), never);
    const { answer, end } = await run('hang', {}, quick);
    expect(end).toMatchObject({ isError: true, error: { code: 'timeout' } });
    expect(end.durationMs).toBeGreaterThanOrEqual(390);
    expect(end.durationMs).toBeLessThan(1_500);
    expect(answer?.text).toBe(
      '"hang" of MCP server "quick" did not answer within 0.4 s, the limit of its profile.',
    );
    expect((await run('look', {}, quick)).end.isError).toBe(false);
    await quick.close();
  });

  test('a protocol error is told with its code', async () => {
    const { end } = await run('protocol_error');
    expect(end).toMatchObject({ isError: true, error: { code: 'protocol' } });
    expect(end.error?.message).toContain('the tool threw');
  });

  test('an answer that is no JSON ends the call at once', async () => {
    const { end } = await run('invalid_json');
    expect(end.error?.code).toBe('protocol');
    expect(end.error?.message).toContain('not valid JSON');
    expect(end.durationMs).toBeLessThan(1_000);
  });

  test('a result nested beyond reason is refused, one nested deeply is kept', async () => {
    expect((await run('deep', { levels: 100_000 })).end.error?.code).toBe('unreadable_result');
    expect((await run('deep', { levels: 400 })).end.isError).toBe(false);
  });
});

describe('a server that ends in the middle of a conversation', () => {
  const lost =
    'MCP server "doomed" was lost while it ran "crash". It ended with exit code 7. Its last output: fatal: the disk is on fire';

  test('is a technical failure that says how it ended and what it said last, after every call has its end', async () => {
    const doomed = await tools.open([unruly('doomed'), unruly('sound')], scope(), never);
    const name = (server: string, tool: string) =>
      doomed.forModel[doomed.offered.findIndex((each) => each.server === server && each.tool === tool)]
        ?.name ?? '';
    const { events, emit, returned } = recorder();
    const calls = [
      call(name('doomed', 'crash'), {}, 'a'),
      call(name('sound', 'slow'), { ms: 500 }, 'b'),
      call(name('sound', 'fail'), {}, 'c'),
    ];
    const failure = { name: 'ExecutionFailure', where: 'tool', code: 'server_lost', message: lost };
    await expect(doomed.callAll(calls, emit, 0, never)).rejects.toMatchObject(failure);
    expect(returned('a')).toMatchObject({ isError: true, error: { code: 'transport', message: lost } });
    expect([returned('b').isError, returned('c').isError]).toEqual([false, true]);
    expect(events).toHaveLength(6);
    const later = doomed.callAll([call(name('doomed', 'look'), {}, 'd')], emit, 0, never);
    await expect(later).rejects.toMatchObject({ code: 'server_lost' });
    expect((await run(name('sound', 'look'), {}, doomed)).end.isError).toBe(false);
    await doomed.close();
  });
});

describe('odd results pass', () => {
  test('NUL, lone surrogates and control characters stay as they are; the model gets well-formed text', async () => {
    const { answer, end } = await run('odd_text');
    expect(end.result).toEqual({ content: [{ type: 'text', text: 'a\u0000b\ud800c\u001b[31md' }] });
    expect(answer?.text).toBe('a\u0000b\ufffdc\u001b[31md');
  });

  test('bytes that are no UTF-8 become replacement characters', async () => {
    const { end } = await run('invalid_utf8');
    expect(JSON.stringify(end.result)).toMatch(/before\ufffd+after/);
  });

  test('lines that are no messages are passed over', async () => {
    expect((await run('noisy')).answer?.text).toBe('quiet again');
  });

  test('a result that its own schema forbids is kept: it is what the server answered', async () => {
    const { end } = await run('liar');
    expect(end).toMatchObject({ isError: false, result: { structuredContent: { count: 'many' } } });
  });
});

describe('an abort', () => {
  test('ends every call within two seconds, each with its event, and rejects with its reason', async () => {
    const { events, emit, returned } = recorder();
    const cancelled = new AbortController();
    const reason = new Error('cancelled by the user');
    const calls = [call('hang', {}, 'a'), call('look', {}, 'b'), call('hang', {}, 'c')];
    const pending = session.callAll(calls, emit, 0, cancelled.signal).catch((error: unknown) => error);
    await expect.poll(() => events.some(({ kind }) => kind === 'tool_returned')).toBe(true);
    const aborted = performance.now();
    cancelled.abort(reason);
    expect(await pending).toBe(reason);
    expect(performance.now() - aborted).toBeLessThan(2_000);
    expect(returned('b').isError).toBe(false);
    for (const id of ['a', 'c'])
      expect(returned(id)).toMatchObject({ isError: true, error: { code: 'aborted' } });
  });

  test('before the first call leaves no event', async () => {
    const { events, emit } = recorder();
    const reason = new Error('cancelled');
    await expect(session.callAll([call('look')], emit, 0, AbortSignal.abort(reason))).rejects.toBe(reason);
    expect(events).toEqual([]);
  });
});

test(
  verifies('two servers with one tool name offer it as server/tool, and each call reaches its own', 'M30'),
  async () => {
    const both = await tools.open([unruly('first'), unruly('second server')], scope(), never);
    expect(both.offered.slice(0, 1)).toMatchObject([
      { server: 'first', tool: 'undeclared', name: 'first/undeclared' },
    ]);
    const names = both.forModel.map(({ name }) => name);
    expect(new Set(names).size).toBe(36);
    for (const name of names) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
    const pids = new Set<string>();
    for (const server of ['first', 'second server']) {
      const index = both.offered.findIndex((tool) => tool.server === server && tool.tool === 'pid');
      const { answer, events } = await run(names[index] ?? '', {}, both);
      expect(events[0]?.data).toMatchObject({ server, tool: 'pid' });
      pids.add(answer?.text ?? '');
    }
    expect(pids.size).toBe(2);
    await both.close();
  },
);

test('a plain mock without a mocked answer is a tool error that names the missing one; the server is not asked', async () => {
  const mocked = await tools.open(
    [unruly('mocked', [], { target: { mode: 'mock', endpoint: null } })],
    scope(),
    never,
  );
  const { end } = await run('crash', {}, mocked);
  expect(end).toMatchObject({ isError: true, mocked: false, error: { code: 'fixture_missing' } });
  expect(end.error?.message).toContain('"mocked" is mocked in environment "dev"');
  expect(end.error?.message).toContain('tool "crash"');
  await mocked.close();
});
