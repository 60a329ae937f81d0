import type { ModelRequest } from '../../core/ports.ts';
import { pastArguments } from '../arguments.ts';
import { turnsOf } from '../turns.ts';

/** A request as the API takes it. */
export function toBody({ system, messages, tools }: ModelRequest) {
  return {
    ...(system === '' ? {} : { systemInstruction: { parts: [{ text: system }] } }),
    contents: turnsOf(messages).map(toContent),
    ...(tools.length === 0
      ? {}
      : {
          tools: [
            {
              functionDeclarations: tools.map(({ name, description, inputSchema }) => ({
                name,
                description,
                parametersJsonSchema: inputSchema,
              })),
            },
          ],
        }),
  };
}

function toContent(turn: ReturnType<typeof turnsOf>[number]) {
  if (Array.isArray(turn)) {
    const parts = turn.map(({ callId, name, text, isError }) => ({
      functionResponse: { id: callId, name, response: isError ? { error: text } : { output: text } },
    }));
    return { role: 'user', parts };
  }
  if (turn.role === 'user') return { role: 'user', parts: [{ text: turn.text }] };
  const calls = turn.toolCalls.map(({ id, name, signature, ...call }) => ({
    functionCall: { id, name, args: pastArguments(call) },
    ...(signature === undefined ? {} : { thoughtSignature: signature }),
  }));
  return { role: 'model', parts: [...(turn.text === '' ? [] : [{ text: turn.text }]), ...calls] };
}
