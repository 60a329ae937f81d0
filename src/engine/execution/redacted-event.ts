import type { Json } from '../../core/json.ts';
import { redactedTool } from '../../core/offered-tools.ts';
import type { Redact } from '../../core/ports.ts';
import { redactedResult } from '../../core/redacted-result.ts';
import { redactedArguments } from '../../core/redacted-schema.ts';
import type { EventBody, EventData, EventKind, OfferedTool } from '../../core/trace.ts';

/** Which parts of an event hold content: what people, models and tools said. Only there can a secret have got in, and
 *  only there is one taken out. Names of tools, servers, skills, nodes and objects stay as they are whatever a secret
 *  reads like, because checks tell by them what ran: a call that is no longer known by its name would count as none. */
const content: { [Kind in EventKind]: readonly (keyof EventData[Kind])[] } = {
  execution_started: ['input'],
  user_message: ['text', 'value'],
  agent_message: ['text', 'attachments', 'suggestedActions'],
  model_called: [],
  model_returned: [],
  tool_called: [],
  tool_returned: [],
  skill_loaded: [],
  plan: [],
  topic: [],
  node_started: [],
  node_finished: ['writes'],
  branch: [],
  human_asked: ['prompt'],
  human_answered: ['answer'],
  suppressed: ['to'],
  observed: [],
  failure: ['message'],
  execution_finished: [],
};

/** The event without the secrets in its content; `offered` says how tools call their parameters. */
export function redactedEvent(
  body: EventBody,
  redact: Redact,
  offered: readonly OfferedTool[] = [],
): EventBody {
  const data = { ...body.data } as Record<string, Json>;
  for (const part of content[body.kind] as readonly string[]) {
    const value = data[part];
    if (value !== undefined) data[part] = redact(value);
  }
  // event data is JSON, and each part keeps its form; the compiler cannot see either
  const redacted = { kind: body.kind, data } as unknown as EventBody;
  if (redacted.kind === 'execution_started') {
    const { tools, skills } = redacted.data.offered;
    redacted.data.offered = { skills, tools: tools.map((tool) => redactedTool(tool, redact)) };
  }
  if (redacted.kind === 'tool_called') {
    const { server, tool, args } = redacted.data;
    const called = offered.find((each) => each.server === server && each.tool === tool);
    redacted.data.args = redactedArguments(args, called?.inputSchema, redact);
  }
  if (redacted.kind === 'tool_returned') {
    const { result, error } = redacted.data;
    if (result !== undefined) redacted.data.result = redactedResult(result as Json, redact);
    if (error !== undefined) redacted.data.error = { code: error.code, message: redact(error.message) };
  }
  return redacted;
}
