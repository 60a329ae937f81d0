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
  ToolCall,
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
    // keys of models are secrets too
    const keysOf = agent.provider?.usesSecrets ? agent.provider.workspaceId : workspaceId;
    const model = await session.models.open(agent.model, keysOf);
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
    refuseCutOff(talk.model, reply);
    talk.history.push({ role: 'agent', text: reply.text, toolCalls: reply.toolCalls });
    const isFinal = reply.toolCalls.length === 0;
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

const finished = ['stop', 'tool_calls'];

/**
 * Half an answer must not be judged, and a call that was cut off may be another one than the model meant: a reply counts
 * only where its end is one that is known to be whole. A whole reply may be empty; that is for checks to judge.
 */
function refuseCutOff(model: Model, { finish }: ModelReply): void {
  if (finished.includes(finish)) return;
  const why = cutOff[finish] ?? 'its provider did not call it finished';
  throw new ExecutionFailure(
    'model',
    'reply_cut_off',
    `The reply of the model ${model.name} was cut off: ${why} ("${finish}"). Nothing of it was used.`,
  );
}

const cutOff: Record<string, string> = {
  length: 'it reached the longest that the model may write',
  content_filter: 'a content filter held it back',
};

/** Runs the calls of one model message together; loading a skill is no tool call in the trace. */
async function callTools(talk: Talk, calls: ModelToolCall[], parent: number): Promise<void> {
  const { tools, loader, history, limits, emit } = talk;
  const answers = new Map<string, ToolAnswer>();
  const toSend = calls.map(({ id, ...call }) => ({ callId: id, ...call }));
  const isLoad = ({ name }: { name: string }) => name === loader?.tool.name;

  // A skill that is not there leaves no event of its own: nothing was loaded, and no tool of a server was named. What
  // the model was told of it is in its history.
  const load = (call: ToolCall) => {
    if (loader === null || answers.has(call.callId)) return;
    const { answer, skill } = loader.load(call);
    answers.set(call.callId, answer);
    if (skill !== null) emit({ kind: 'skill_loaded', data: { skill } }, parent);
  };
  /** Each `tool_called` comes after the loads that are listed before it. */
  const inOrder: SubjectSession['emit'] = (body, under) => {
    if (body.kind === 'tool_called') {
      const listed = toSend.findIndex(({ callId }) => callId === body.data.callId);
      toSend.slice(0, listed).filter(isLoad).forEach(load);
    }
    return emit(body, under);
  };

  const others = toSend.filter((call) => !isLoad(call));
  const running = others.length > 0 ? tools.callAll(others, inOrder, parent, limits.signal) : [];
  toSend.filter(isLoad).forEach(load);
  for (const answer of await running) answers.set(answer.callId, answer);
  for (const { id, name } of calls) {
    const given = answers.get(id);
    if (given === undefined) {
      throw new ExecutionFailure('engine', 'no_tool_answer', `The call ${id} of ${name} was not answered.`);
    }
    history.push({ role: 'tool', callId: id, name, text: given.text, isError: given.isError });
  }
}
