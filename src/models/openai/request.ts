import {
  AIMessage,
  type BaseMessage,
  HumanMessage,
  SystemMessage,
  ToolMessage,
} from '@langchain/core/messages';
import type { ModelRequest, ModelTool } from '../../core/ports.ts';

/** A request's system text and messages as the client takes them. */
export function toMessages(request: ModelRequest): BaseMessage[] {
  const system = request.system === '' ? [] : [new SystemMessage(request.system)];
  return [...system, ...request.messages.map(toMessage)];
}

function toMessage(message: ModelRequest['messages'][number]): BaseMessage {
  switch (message.role) {
    case 'user':
      return new HumanMessage(message.text);
    case 'agent':
      // Arguments that were no JSON go back inside an object: servers that parse the history would refuse them.
      return new AIMessage({
        content: message.text,
        tool_calls: message.toolCalls.map(({ id, name, ...call }) => ({
          type: 'tool_call',
          id,
          name,
          args: 'args' in call ? call.args : { invalidJson: call.unreadableArgs },
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
