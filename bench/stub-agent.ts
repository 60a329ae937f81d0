import type { Subject } from '../src/core/ports.ts';

/** Answers at once, without model or tools, as the peer's stub does: what is measured with it is the bench, not an
 *  agent. Its events are those of an agent that asked its model once. */
export const stubAgent: Subject = {
  kind: 'native',
  open: async ({ skills }, { emit }) => ({
    offered: { tools: [], skills: skills.map(({ name }) => name) },
    send: async ({ text }, parent) => {
      const called = emit({ kind: 'model_called', data: { model: 'stub', offline: true } }, parent);
      const usage = { inputTokens: 5, outputTokens: 5 };
      emit({ kind: 'model_returned', data: { usage, costUsd: 0, finish: 'stop' } }, called);
      const answer = `Answer: ${text}`;
      emit(
        {
          kind: 'agent_message',
          data: { text: answer, attachments: [], suggestedActions: [], replyTo: parent },
        },
        parent,
      );
      return { text: answer };
    },
    close: async () => {},
  }),
};
