import {
  AIMessage,
  type BaseMessage,
  HumanMessage,
  SystemMessage,
  ToolMessage,
} from '@langchain/core/messages';
import type { ModelMessage, ModelRequest, ModelTool } from '../../core/ports.ts';
import { pastArguments } from '../arguments.ts';

/** A request's system text and messages as clients take them. */
export function toMessages({ system, messages }: ModelRequest): BaseMessage[] {
  return [...systemMessages(system), ...messages.map(toMessage)];
}

export function systemMessages(system: string): BaseMessage[] {
  return system === '' ? [] : [new SystemMessage(system)];
}

export function toMessage(message: ModelMessage): BaseMessage {
  switch (message.role) {
    case 'user':
      return new HumanMessage(message.text);
    case 'agent':
      return new AIMessage({
        content: message.text,
        tool_calls: message.toolCalls.map(({ id, name, ...call }) => ({
          type: 'tool_call',
          id,
          name,
          args: pastArguments(call),
        })),
      });
    case 'tool':
      return new ToolMessage({
        content: message.text,
        tool_call_id: message.callId,
        status: message.isError ? 'error' : 'success',
      });
  }
}

export function toTools(tools: ModelTool[]) {
  return tools.map(({ name, description, inputSchema }) => ({
    type: 'function' as const,
    function: { name, description, parameters: inputSchema },
  }));
}
