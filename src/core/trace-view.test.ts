import { describe, expect, test } from 'vitest';
import {
  agent,
  called,
  conversation,
  failure,
  finished,
  loaded,
  observed,
  offered,
  returned,
  started,
  traceOf,
  user,
} from '../../test/sample-trace.ts';
import { firstGap, readTrace } from './trace-view.ts';

const list = offered('list');
const twin = offered('list', {}, 'other', 'other/list');

describe('the view of a whole trace', () => {
  test('is empty where there are no events', () => {
    const trace = readTrace([]);
    expect(trace).toMatchObject({
      started: null,
      messages: [],
      toolCalls: [],
      skillsLoaded: [],
      observed: [],
      failures: [],
      finished: null,
    });
    expect(trace.observation('prompt', 'x', 'after')).toBeNull();
  });

  test('holds messages, calls, skills, failures, start and end in their order', () => {
    const trace = readTrace(
      traceOf(
        started({ tools: [list], driver: 'golden' }),
        user('a'),
        called(list),
        returned(),
        loaded('s'),
        agent('b'),
        user('c'),
        failure('boom'),
        finished('failed', 'exit_intent'),
      ),
    );
    expect(trace.started?.driver).toBe('golden');
    expect(trace.messages).toEqual([
      { seq: 2, role: 'user', text: 'a' },
      { seq: 6, role: 'agent', text: 'b' },
      { seq: 7, role: 'user', text: 'c' },
    ]);
    expect(trace.skillsLoaded).toEqual(['s']);
    expect(trace.failures).toEqual([{ where: 'model', code: 'unreachable', message: 'boom' }]);
    expect(trace.finished).toEqual({ status: 'failed', endReason: 'exit_intent' });
  });

  test('joins each call with its return by the id of the call, in whatever order they return', () => {
    const trace = readTrace(
      conversation(
        { tools: [list] },
        called(list, '1'),
        called(list, '2'),
        called(list, '3'),
        returned('2', true),
        returned('1'),
        returned('unknown'),
      ),
    );
    expect(trace.toolCalls.map((call) => call.returned?.isError ?? null)).toEqual([false, true, null]);
  });

  test('gives each of two calls with one id its own return', () => {
    const trace = readTrace(
      conversation(
        { tools: [list] },
        called(list, '1'),
        returned('1', true),
        called(list, '1'),
        returned('1'),
      ),
    );
    expect(trace.toolCalls.map((call) => call.returned?.isError)).toEqual([true, false]);
  });

  test('keeps the first return of a call', () => {
    const trace = readTrace(
      conversation({ tools: [list] }, called(list, '1'), returned('1', true), returned('1')),
    );
    expect(trace.toolCalls.map((call) => call.returned?.isError)).toEqual([true]);
  });

  test('finds what was offered by server and tool, and nothing for a tool that does not exist', () => {
    const trace = readTrace(
      conversation(
        { tools: [list, twin] },
        called(twin, '1'),
        called('list', '2'),
        called(offered('gone'), '3'),
      ),
    );
    expect(trace.toolCalls.map((call) => call.offered?.name ?? null)).toEqual(['other/list', null, null]);
  });

  test('takes the first observation before and the last one after', () => {
    const trace = readTrace(
      traceOf(
        observed('prompt', 'x', 'before', false),
        observed('prompt', 'x', 'before', true),
        observed('prompt', 'x', 'after', false),
        observed('prompt', 'x', 'after', true),
        observed('skill', 'x', 'after', false),
      ),
    );
    expect(trace.observation('prompt', 'x', 'before')?.exists).toBe(false);
    expect(trace.observation('prompt', 'x', 'after')?.exists).toBe(true);
    expect(trace.observation('prompt', 'y', 'after')).toBeNull();
  });
});

describe('the view of one turn', () => {
  const events = traceOf(
    started({ tools: [list] }),
    observed('prompt', 'x', 'before', false),
    user('first'),
    called(list, '1'),
    returned('1'),
    loaded('s1'),
    agent('one'),
    user('second'),
    called(list, '2'),
    returned('2', true),
    called(list, '3'),
    loaded('s2'),
    agent('two'),
    failure(),
    finished(),
    observed('prompt', 'x', 'after', true),
  );

  test('holds what happened from its message up to the next one', () => {
    const first = readTrace(events, { turn: 0 });
    expect(first.messages.map((message) => message.text)).toEqual(['first', 'one']);
    expect(first.toolCalls.map((call) => call.callId)).toEqual(['1']);
    expect(first.skillsLoaded).toEqual(['s1']);

    const second = readTrace(events, { turn: 1 });
    expect(second.messages.map((message) => message.text)).toEqual(['second', 'two']);
    expect(second.toolCalls.map((call) => [call.callId, call.returned?.isError])).toEqual([
      ['2', true],
      ['3', undefined],
    ]);
    expect(second.skillsLoaded).toEqual(['s2']);
  });

  test('keeps what belongs to the whole execution', () => {
    for (const turn of [0, 1]) {
      const trace = readTrace(events, { turn });
      expect(trace.started?.offered.tools).toEqual([list]);
      expect(trace.finished?.status).toBe('completed');
      expect(trace.failures).toHaveLength(1);
      expect(trace.observation('prompt', 'x', 'before')?.exists).toBe(false);
      expect(trace.observation('prompt', 'x', 'after')?.exists).toBe(true);
    }
  });

  test('leaves out what came before the first message', () => {
    const early = readTrace(traceOf(started({ tools: [list] }), called(list), user(), agent()), { turn: 0 });
    expect(early.toolCalls).toEqual([]);
  });

  test('does not exist for a turn that was never sent', () => {
    expect(() => readTrace(events, { turn: 2 })).toThrow(RangeError);
    expect(() => readTrace(events, { turn: -1 })).toThrow(RangeError);
    expect(() => readTrace([], { turn: 0 })).toThrow('0 user messages');
  });
});

test('the first gap is the first seq that is missing or out of place', () => {
  const [one, two, three] = traceOf(started(), user(), agent());
  if (!one || !two || !three) throw new Error('three events were made');
  expect(firstGap([])).toBeNull();
  expect(firstGap([one, two, three])).toBeNull();
  expect(firstGap([one, three])).toBe(2);
  expect(firstGap([two, three])).toBe(1);
  expect(firstGap([one, three, two])).toBe(2);
  expect(firstGap([one, two, two])).toBe(3);
});
