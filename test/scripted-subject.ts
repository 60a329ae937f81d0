import { ExecutionFailure } from '../src/core/errors.ts';
import type { Conversation, Models, Subject, SubjectSession, Tools } from '../src/core/ports.ts';
import type { OfferedTool } from '../src/core/trace.ts';

export const echoTool: OfferedTool = {
  server: 'script',
  tool: 'echo',
  name: 'echo',
  description: 'Says it again.',
  annotations: { readOnlyHint: true },
  inputSchema: { type: 'object' },
};

/** A subject that does what the user tells it, for tests of everything around it:
 *  `echo TEXT` calls the tool, `wait MS` takes its time, `wait MS then echo TEXT` both, `hang` waits for the abort, `deaf`
 *  does not even hear that, `fail TEXT` is a technical failure, `crash TEXT` a programming error. Anything else is
 *  answered as it stands. */
export function scriptedSubject(onSend: (text: string, session: SubjectSession) => void = () => {}): Subject {
  return {
    kind: 'native',
    open: async (_agent, session): Promise<Conversation> => ({
      offered: { tools: [echoTool], skills: [] },
      async send({ text }, parent) {
        onSend(text, session);
        const { emit, signal } = session;
        emit({ kind: 'model_called', data: { model: 'script', offline: true } }, parent);
        emit({
          kind: 'model_returned',
          data: { usage: { inputTokens: 3, outputTokens: 2 }, costUsd: 0.5, finish: 'stop' },
        });
        const answer = await obey(text, session);
        signal.throwIfAborted();
        emit({
          kind: 'agent_message',
          data: { text: answer, attachments: [], suggestedActions: [], replyTo: parent },
        });
        return { text: answer };
      },
      close: async () => {},
    }),
  };
}

async function obey(text: string, session: SubjectSession): Promise<string> {
  const { clock, signal } = session;
  const [, wait, then] = /^wait (\d+)(?: then (.*))?$/s.exec(text) ?? [];
  if (wait !== undefined) {
    await clock.sleep(Number(wait), signal);
    return then === undefined ? `waited ${wait}` : obey(then, session);
  }
  const [, word, rest = ''] = /^(\w+) ?(.*)$/s.exec(text) ?? [];
  switch (word) {
    case 'echo':
      return echo(rest, session);
    case 'hang':
      await clock.sleep(600_000, signal);
      return 'never';
    case 'deaf':
      return new Promise(() => {});
    case 'fail':
      throw new ExecutionFailure('agent', 'script_failed', rest);
    case 'crash':
      throw new Error(rest);
    default:
      return text;
  }
}

function echo(text: string, { emit }: SubjectSession): string {
  const call = emit({
    kind: 'tool_called',
    data: { callId: 'call-1', batch: 'batch-1', server: 'script', tool: 'echo', args: { text } },
  });
  const returned = {
    callId: 'call-1',
    result: { text },
    isError: false,
    mocked: false,
    rule: null,
    seed: null,
    waitedMs: null,
    durationMs: 0,
  };
  emit({ kind: 'tool_returned', data: returned }, call);
  return text;
}

/** For subjects that use neither. */
export const noModels: Models = {
  open: async () => {
    throw new Error('no model is needed here');
  },
};
export const noTools: Tools = {
  open: async () => {
    throw new Error('no tools are needed here');
  },
  discover: async () => {
    throw new Error('no tools are needed here');
  },
  closeRun: async () => {},
  close: async () => {},
};
