import { ExecutionFailure } from '../../core/errors.ts';
import type { FrozenAgent } from '../../core/frozen.ts';
import type {
  Conversation,
  Model,
  ModelMessage,
  ModelReply,
  ModelTool,
  ModelToolCall,
  Subject,
  SubjectSession,
  ToolAnswer,
  ToolSession,
} from '../../core/ports.ts';
import { type ConversationLimits, watchLimits } from './limits.ts';
import { createSkillLoader, type SkillLoader } from './skills.ts';
import { systemText } from './system-text.ts';

/** Our own agent: a model that calls tools until it has an answer. */
export const nativeAgent: Subject = {
  kind: 'native',
  open: async (agent, session) => {
    const { workspaceId, runId, executionId, environment, signal } = session;
    const model = await session.models.open(agent.model, workspaceId);
    const scope = { workspaceId, runId, executionId, environment };
    const tools = await session.tools.open(agent.mcpServers, scope, signal);
    return converse(agent, session, model, tools);
  },
};

/** What the turns of a conversation share. */
interface Talk {
  model: Model;
  tools: ToolSession;
  loader: SkillLoader | null;
  /** What the model may call: one list for the whole conversation. */
  offered: ModelTool[];
  system: string;
  history: ModelMessage[];
  limits: ConversationLimits;
  emit: SubjectSession['emit'];
}

function converse(
  agent: FrozenAgent,
  session: SubjectSession,
  model: Model,
  tools: ToolSession,
): Conversation {
  const loader = createSkillLoader(agent.skills, tools.forModel);
  const talk: Talk = {
    model,
    tools,
    loader,
    offered: loader === null ? tools.forModel : [...tools.forModel, loader.tool],
    system: systemText(agent, loader?.tool.name ?? null),
    history: [],
    limits: watchLimits(agent.limits, session.clock, session.signal),
    emit: session.emit,
  };
  return {
    offered: { tools: tools.offered, skills: agent.skills.map((skill) => skill.name) },
    send: async (turn, parent) => {
      talk.history.push({ role: 'user', text: turn.text });
      return { text: await answer(talk, parent) };
    },
    close: () => {
      talk.limits.stop();
      return tools.close();
    },
  };
}

/** Asks the model until it calls no more tools. Resolves with all that it said to the user, emitted as it was said. */
async function answer(talk: Talk, parent: number): Promise<string> {
  const said: string[] = [];
  for (let made = 0; ; made++) {
    talk.limits.beforeModelCall(made);
    const reply = await askModel(talk, parent);
    talk.history.push({ role: 'agent', text: reply.text, toolCalls: reply.toolCalls });
    const isFinal = reply.toolCalls.length === 0;
    if (isFinal) refuseCutOff(talk.model, reply);
    if (isFinal || reply.text.trim() !== '') {
      said.push(reply.text);
      talk.emit(
        {
          kind: 'agent_message',
          data: { text: reply.text, attachments: [], suggestedActions: [], replyTo: parent },
        },
        parent,
      );
    }
    if (isFinal) return said.join('\n\n');
    await callTools(talk, reply.toolCalls, parent);
  }
}

async function askModel(
  { model, offered, system, history, limits, emit }: Talk,
  parent: number,
): Promise<ModelReply> {
  limits.signal.throwIfAborted();
  const called = emit({ kind: 'model_called', data: { model: model.name, offline: model.offline } }, parent);
  const reply = await model.complete({ system, messages: history, tools: offered }, limits.signal);
  const { usage, costUsd, finish } = reply;
  emit({ kind: 'model_returned', data: { usage, costUsd, finish } }, called);
  limits.afterModelCall(usage);
  return reply;
}

/** An empty reply is one that a check can judge; one that was never finished is a technical failure. */
function refuseCutOff(model: Model, { text, finish }: ModelReply): void {
  if (text.trim() !== '' || (finish !== 'length' && finish !== 'content_filter')) return;
  const why =
    finish === 'length' ? 'its reply reached the longest it may write' : 'a content filter held it back';
  throw new ExecutionFailure(
    'model',
    `no_text_${finish}`,
    `The model ${model.name} gave no text: ${why} ("${finish}").`,
  );
}

/** Runs the calls of one model message together; loading a skill is no tool call in the trace. */
async function callTools(talk: Talk, calls: ModelToolCall[], parent: number): Promise<void> {
  const { tools, loader, history, limits, emit } = talk;
  const answers = new Map<string, ToolAnswer>();
  const toSend = calls.map(({ id, name, args }) => ({ callId: id, name, args }));
  for (const call of toSend) {
    if (call.name !== loader?.tool.name) continue;
    const { answer, skill } = loader.load(call);
    answers.set(call.callId, answer);
    if (skill !== null) emit({ kind: 'skill_loaded', data: { skill } }, parent);
  }
  const others = toSend.filter((call) => !answers.has(call.callId));
  if (others.length > 0) {
    for (const answer of await tools.callAll(others, emit, parent, limits.signal))
      answers.set(answer.callId, answer);
  }
  for (const { id, name } of calls) {
    const given = answers.get(id);
    if (given === undefined) {
      throw new ExecutionFailure('engine', 'no_tool_answer', `The call ${id} of ${name} was not answered.`);
    }
    history.push({ role: 'tool', callId: id, name, text: given.text, isError: given.isError });
  }
}
