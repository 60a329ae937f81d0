import { describe, expect, test } from 'vitest';
import { caseOf, scriptedAgent } from '../../../test/run-world.ts';
import { noModels, noTools, scriptedSubject } from '../../../test/scripted-subject.ts';
import { verifies } from '../../../test/verifies.ts';
import type { TestCaseDefinition } from '../../core/documents/test-case.ts';
import { ExecutionFailure } from '../../core/errors.ts';
import type { Json } from '../../core/json.ts';
import type { Conversation, Subject } from '../../core/ports.ts';
import type { TraceEvent } from '../../core/trace.ts';
import { capPayload } from '../../net/payload.ts';
import { systemClock, systemRandom } from '../../net/system-ports.ts';
import { type ExecutionPorts, execute } from './execute.ts';

async function hold(
  definition: TestCaseDefinition,
  {
    ports = {},
    signal = new AbortController().signal,
  }: { ports?: Partial<ExecutionPorts>; signal?: AbortSignal } = {},
) {
  const stored: string[] = [];
  const payloads: string[] = [];
  const end = await execute(
    {
      workspaceId: 'workspace',
      runId: 'run',
      executionId: 'execution',
      environment: 'dev',
      agent: scriptedAgent,
      contentHash: 'hash',
      definition,
    },
    {
      subjects: { native: scriptedSubject() },
      models: noModels,
      tools: noTools,
      observe: async () => ({ exists: false, createdAt: null, now: '2026-01-01T00:00:00.000Z' }),
      redactFor: () => (value) => value,
      capPayload,
      clock: systemClock,
      random: systemRandom,
      ...ports,
    },
    { event: (text) => stored.push(text), payload: (_, text) => payloads.push(text) },
    signal,
  );
  return { ...end, stored: stored.map((text) => JSON.parse(text) as TraceEvent), payloads };
}

const kinds = (events: readonly TraceEvent[]) => events.map(({ kind }) => kind);
const failures = (events: readonly TraceEvent[]) =>
  events.flatMap((event) => (event.kind === 'failure' ? [event.data] : []));

/** A subject whose conversation does what the test says. */
const subjectOf = (open: Subject['open']): ExecutionPorts['subjects'] => ({
  native: { kind: 'native', open },
});
const conversationOf = (more: Partial<Conversation>): Conversation => ({
  offered: { tools: [], skills: [] },
  send: async () => ({ text: 'answer' }),
  close: async () => {},
  ...more,
});

describe('a trace', () => {
  test('tells everything in order, from what was offered to how it ended', async () => {
    const { status, events, stored } = await hold(caseOf('echo hello'));
    expect(status).toBe('completed');
    expect(kinds(events)).toEqual([
      'execution_started',
      'user_message',
      'model_called',
      'model_returned',
      'tool_called',
      'tool_returned',
      'agent_message',
      'execution_finished',
    ]);
    expect(events.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(events[0]?.data).toMatchObject({
      subject: { kind: 'agent', name: 'scripted', version: 'v1' },
      environment: 'dev',
      driver: 'single',
      input: 'echo hello',
      offered: { tools: [{ name: 'echo' }] },
    });
    expect(events[5]).toMatchObject({ kind: 'tool_returned', parent: 5 });
    expect(stored).toEqual(events);
  });

  test('is read back from what is stored, so that nothing the subject changes later reaches a verdict', async () => {
    const args: { [key: string]: Json } = { path: '/before' };
    const subject = subjectOf(async (_, { emit }) =>
      conversationOf({
        send: async () => {
          emit({ kind: 'tool_called', data: { callId: '1', batch: '1', server: 's', tool: 't', args } });
          args.path = '/after';
          return { text: '' };
        },
      }),
    );
    const { events } = await hold(caseOf('go'), { ports: { subjects: subject } });
    expect(events.find(({ kind }) => kind === 'tool_called')?.data).toMatchObject({
      args: { path: '/before' },
    });
  });

  test('holds no secret', async () => {
    const redactFor: ExecutionPorts['redactFor'] = () => (value) =>
      JSON.parse(JSON.stringify(value).replaceAll('hunter2', '[redacted]'));
    const { stored } = await hold(caseOf('echo hunter2'), { ports: { redactFor } });
    expect(JSON.stringify(stored)).not.toContain('hunter2');
    expect(stored[1]?.data).toMatchObject({ text: 'echo [redacted]' });
  });

  test('keeps a large tool result by its hash, and a large text as it is', async () => {
    const large = 'x'.repeat(300_000);
    const { events, payloads } = await hold(caseOf(`echo ${large}`));
    const returned = events.find(({ kind }) => kind === 'tool_returned');
    expect(returned?.data).toMatchObject({ result: { $ref: expect.stringMatching(/^sha256:/), cut: false } });
    expect(payloads).toEqual([JSON.stringify({ text: large })]);
    expect(events.find(({ kind }) => kind === 'agent_message')?.data).toMatchObject({ text: large });
  });

  test('takes nothing that comes after its end', async () => {
    let late = () => {};
    const subject = subjectOf(async (_, { emit }) => {
      late = () => emit({ kind: 'topic', data: { name: 'late' } });
      return conversationOf({});
    });
    const { stored } = await hold(caseOf('go'), { ports: { subjects: subject } });
    late();
    expect(stored.at(-1)?.kind).toBe('execution_finished');
  });
});

test('a golden conversation says its turns one after another', async () => {
  const turns = ['first', 'second', 'third'].map((user) => ({ user, checks: [] }));
  const { events } = await hold(caseOf('', { conversation: { type: 'golden', turns } }));
  const said = events.flatMap((event) =>
    event.kind === 'user_message' || event.kind === 'agent_message'
      ? [`${event.kind} ${event.data.text}`]
      : [],
  );
  expect(said).toEqual(turns.flatMap(({ user }) => [`user_message ${user}`, `agent_message ${user}`]));
  expect(events[0]?.data).toMatchObject({ driver: 'golden', input: ['first', 'second', 'third'] });
});

describe('a failure', () => {
  test('of the subject stands in the trace and ends the conversation', async () => {
    const turns = ['fail the service is down', 'echo never'].map((user) => ({ user, checks: [] }));
    const { status, events } = await hold(caseOf('', { conversation: { type: 'golden', turns } }));
    expect(status).toBe('failed');
    expect(failures(events)).toEqual([
      { where: 'agent', code: 'script_failed', message: 'the service is down' },
    ]);
    expect(events.filter(({ kind }) => kind === 'user_message')).toHaveLength(1);
    expect(events.at(-1)?.data).toEqual({ status: 'failed', endReason: null });
  });

  test('that nobody expected stands in the trace too', async () => {
    const { status, events } = await hold(caseOf('crash of some kind'));
    expect(status).toBe('failed');
    expect(failures(events)).toEqual([{ where: 'engine', code: 'unexpected', message: 'of some kind' }]);
  });

  test('to open leaves a start that offers nothing', async () => {
    const subject = subjectOf(async () => {
      throw new ExecutionFailure('tool', 'server_unreachable', 'The server files cannot be reached.');
    });
    const { status, events } = await hold(caseOf('go'), { ports: { subjects: subject } });
    expect(status).toBe('failed');
    expect(kinds(events)).toEqual(['execution_started', 'failure', 'execution_finished']);
    expect(events[0]?.data).toMatchObject({ offered: { tools: [], skills: [] } });
    expect(failures(events)[0]).toMatchObject({ where: 'tool', code: 'server_unreachable' });
  });

  test('to close is one of the execution', async () => {
    const subject = subjectOf(async () =>
      conversationOf({ close: () => Promise.reject(new Error('the door is stuck')) }),
    );
    const { status, events } = await hold(caseOf('go'), { ports: { subjects: subject } });
    expect(status).toBe('failed');
    expect(failures(events)[0]?.message).toBe('the door is stuck');
  });
});

describe('an abort', () => {
  test('ends a waiting subject at once and closes the conversation', async () => {
    const controller = new AbortController();
    let closed = false;
    const subject = subjectOf(async (_, { clock, signal }) =>
      conversationOf({
        send: async () => {
          await clock.sleep(60_000, signal);
          return { text: '' };
        },
        close: async () => {
          closed = true;
        },
      }),
    );
    setTimeout(() => controller.abort(new Error('cancelled')), 30);
    const begun = performance.now();
    const { status, events } = await hold(caseOf('go'), {
      ports: { subjects: subject },
      signal: controller.signal,
    });
    expect(performance.now() - begun).toBeLessThan(1_000);
    expect(status).toBe('aborted');
    expect(failures(events)).toEqual([]);
    expect(events.at(-1)?.data).toEqual({ status: 'aborted', endReason: null });
    expect(closed).toBe(true);
  });

  test('ends a subject that does not listen within two seconds', async () => {
    const controller = new AbortController();
    setTimeout(() => controller.abort(new Error('cancelled')), 30);
    const begun = performance.now();
    const { status } = await hold(caseOf('deaf'), { signal: controller.signal });
    expect(status).toBe('aborted');
    expect(performance.now() - begun).toBeLessThan(2_000);
  });

  test('before the start opens nothing', async () => {
    let opened = false;
    const subject = subjectOf(async () => {
      opened = true;
      return conversationOf({});
    });
    const signal = AbortSignal.abort(new Error('cancelled'));
    const { status, events } = await hold(caseOf('go'), { ports: { subjects: subject }, signal });
    expect(status).toBe('aborted');
    expect(opened).toBe(false);
    expect(kinds(events)).toEqual(['execution_started', 'execution_finished']);
  });
});

describe('objects that checks name', () => {
  const checks: TestCaseDefinition['checks'] = [
    { type: 'object_exists', object: 'prompt', name: 'qa', createdDuring: true },
  ];

  test(verifies('are looked for before and after the conversation', 'M38', 'M39'), async () => {
    const seen = new Set<string>();
    const observe: ExecutionPorts['observe'] = async (workspaceId, object, name) => ({
      exists: seen.has(`${workspaceId} ${object} ${name}`),
      createdAt: null,
      now: '2026-01-01T00:00:00.000Z',
    });
    const subject = subjectOf(async () =>
      conversationOf({
        send: async () => {
          seen.add('workspace prompt qa');
          return { text: '' };
        },
      }),
    );
    const { events } = await hold(caseOf('go', { checks }), { ports: { subjects: subject, observe } });
    const observed = events.flatMap((event) => (event.kind === 'observed' ? [event] : []));
    expect(observed.map(({ seq, data }) => [seq, data.when, data.exists])).toEqual([
      [2, 'before', false],
      [4, 'after', true],
    ]);
  });

  test('that cannot be looked for make it a technical failure', async () => {
    const observe: ExecutionPorts['observe'] = () => Promise.reject(new Error('the database is away'));
    const { status, events } = await hold(caseOf('go', { checks }), { ports: { observe } });
    expect(status).toBe('failed');
    expect(failures(events)[0]).toMatchObject({
      code: 'observe_failed',
      message: 'Could not look for the prompt "qa": the database is away',
    });
  });
});
