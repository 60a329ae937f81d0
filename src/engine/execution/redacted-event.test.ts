import { describe, expect, test } from 'vitest';
import { agent, called, conversation, offered, returned, writes } from '../../../test/sample-trace.ts';
import { verifies } from '../../../test/verifies.ts';
import { evaluateCheck } from '../../core/checks/registry.ts';
import type { Redact } from '../../core/ports.ts';
import type { EventBody, TraceEvent } from '../../core/trace.ts';
import { readTrace } from '../../core/trace-view.ts';
import { redactedEvent } from './redacted-event.ts';

/** Takes out a secret that reads like a part of almost everything. */
const redact: Redact = (value) => JSON.parse(JSON.stringify(value).replaceAll('write_', '[redacted]'));

const writeThing = offered('write_thing', writes, 'write_server');
const events: readonly TraceEvent[] = conversation(
  { tools: [writeThing], skills: ['write_skill'] },
  called(writeThing),
  returned(),
  { kind: 'skill_loaded', data: { skill: 'write_skill' } },
  agent('I did write_ it'),
);
const stored = events.map((event) => ({ ...event, ...redactedEvent(event, redact) }) as TraceEvent);

describe('a secret that reads like a name', () => {
  test(verifies('hides no call and no skill from the checks', 'M29', 'M30', 'M35'), () => {
    const trace = readTrace(stored);
    const outcome = (check: Parameters<typeof evaluateCheck>[1]) => evaluateCheck(trace, check).outcome;
    expect(outcome({ type: 'tool_not_called', tool: 'write_thing' })).toBe('failed');
    expect(outcome({ type: 'tool_called', tool: 'write_server/write_thing' })).toBe('passed');
    expect(outcome({ type: 'skill_not_used', skill: 'write_skill' })).toBe('failed');
  });

  test('is taken out of what was said', () => {
    expect(readTrace(stored).messages.map(({ text }) => text)).toContain('I did [redacted] it');
  });
});

describe('a secret that reads like a word of the protocol or of a tool', () => {
  const hides = (secret: string): Redact => {
    return (value) => JSON.parse(JSON.stringify(value).replaceAll(secret, '[redacted]'));
  };

  test('leaves a result a result', () => {
    const data = {
      ...{
        callId: '1',
        isError: false,
        mocked: false,
        rule: null,
        seed: null,
        waitedMs: null,
        durationMs: 1,
      },
      result: { content: [{ type: 'text', text: 'some content' }] },
    };
    expect(redactedEvent({ kind: 'tool_returned', data }, hides('content'))).toMatchObject({
      data: { result: { content: [{ type: 'text', text: 'some [redacted]' }] } },
    });
  });

  test('leaves the parameters that a tool declares under their names', () => {
    const inputSchema = { type: 'object', properties: { workspace: { type: 'string' } } };
    const tool = { ...offered('t', writes, 's'), inputSchema };
    const args = { workspace: 'a workspace', 'my workspace': 1 };
    const data = { callId: '1', batch: '1', server: 's', tool: 't', args };
    expect(redactedEvent({ kind: 'tool_called', data }, hides('workspace'), [tool])).toMatchObject({
      data: { args: { workspace: 'a [redacted]', 'my [redacted]': 1 } },
    });
  });
});

describe('content without its secrets', () => {
  const contents: [string, EventBody][] = [
    [
      'arguments',
      { kind: 'tool_called', data: { callId: '1', batch: '1', server: 's', tool: 't', args: ['write_'] } },
    ],
    [
      'a message of the user',
      { kind: 'user_message', data: { speaker: 'user', text: 'write_', value: 'write_' } },
    ],
    ['a failure', { kind: 'failure', data: { where: 'tool', code: 'lost', message: 'write_' } }],
    ['an answer of a person', { kind: 'human_answered', data: { node: 'n', answer: 'write_' } }],
    [
      'what a node wrote',
      { kind: 'node_finished', data: { node: 'n', kind: 'llm', writes: { a: 'write_' } } },
    ],
    [
      'an error of a tool',
      {
        kind: 'tool_returned',
        data: {
          callId: '1',
          error: { code: 'transport', message: 'write_' },
          isError: true,
          mocked: false,
          rule: null,
          seed: null,
          waitedMs: null,
          durationMs: 1,
        },
      },
    ],
  ];
  test.each(contents)('is %s', (_, event) => {
    expect(JSON.stringify(redactedEvent(event, redact))).not.toContain('write_');
  });

  test('is the title, the description and the schema of a tool, and none of its hints', () => {
    const annotations = { readOnlyHint: true, title: 'write_' };
    const tool = { ...offered('t', annotations), description: 'write_', inputSchema: { default: 'write_' } };
    const [start] = conversation({ tools: [tool] }, agent());
    const hides = (secret: string): Redact => {
      return (value) => JSON.parse(JSON.stringify(value).replaceAll(secret, '[redacted]'));
    };
    expect(JSON.stringify(redactedEvent(start as EventBody, redact))).not.toContain('write_');
    expect(redactedEvent(start as EventBody, hides('readOnly'))).toMatchObject({
      data: { offered: { tools: [{ annotations: { readOnlyHint: true } }] } },
    });
  });
});
