import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { LLMock } from '@copilotkit/aimock';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { installedServer, recorder, secrets, toolBench, unruly } from '../../../test/tool-bench.ts';
import { verifies } from '../../../test/verifies.ts';
import type { FrozenAgent } from '../../core/frozen.ts';
import type { Clock, Conversation } from '../../core/ports.ts';
import type { ReadProviderSettings } from '../../core/provider-settings.ts';
import type { TraceEvent } from '../../core/trace.ts';
import { createModels } from '../../models/models.ts';
import { nativeAgent } from './native.ts';

const clock: Clock = {
  now: () => new Date(),
  monotonicMs: () => performance.now(),
  sleep: async (ms, signal) => void (await wait(ms, undefined, { signal })),
};

const { tools } = toolBench();
let folder: string;
let mock: LLMock;
const open: Conversation[] = [];

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'native-agent-'));
  await writeFile(path.join(folder, 'a.txt'), 'alpha');
});
afterAll(async () => {
  await tools.close();
  await rm(folder, { recursive: true });
});
beforeEach(async () => {
  mock = new LLMock({ port: 0 });
  await mock.start();
});
afterEach(async () => {
  for (const conversation of open.splice(0)) await conversation.close();
  await mock.stop();
});

const limits = { modelCalls: 25, tokens: 500_000, seconds: 300 };

function agent(changes: Partial<FrozenAgent> = {}): FrozenAgent {
  return {
    kind: 'native',
    agent: { id: 'agent-1', name: 'librarian' },
    version: { id: 'version-1', name: 'v1' },
    model: 'offline',
    instructions: 'Help with files.',
    prompts: [],
    skills: [],
    mcpServers: [],
    limits,
    ...changes,
  };
}

const files = () => [installedServer('filesystem', [folder])];
/** An agent that a language model behind the API of OpenAI runs. */
const scripted = (changes: Partial<FrozenAgent> = {}) => agent({ model: 'openai:gpt-5-mini', ...changes });

async function begin(
  who: FrozenAgent,
  signal = new AbortController().signal,
  read: ReadProviderSettings = async () => null,
) {
  const trace = recorder();
  const conversation = await nativeAgent.open(who, {
    workspaceId: 'workspace-1',
    runId: 'run-1',
    executionId: randomUUID(),
    environment: 'dev',
    emit: trace.emit,
    signal,
    clock,
    random: { id: randomUUID, token: () => 'abcdef' },
    models: createModels({
      environment: { OPENAI_API_KEY: 'sk-test', OPENAI_BASE_URL: `${mock.url}/v1` },
      clock,
      workspaces: { read, secrets },
    }),
    tools,
  });
  open.push(conversation);
  const say = (text: string) => {
    const parent = trace.emit({ kind: 'user_message', data: { speaker: 'user', text } });
    return conversation.send({ speaker: 'user', text }, parent);
  };
  return { conversation, say, events: trace.events };
}

const kinds = (events: TraceEvent[]) => events.map(({ kind }) => kind);
const of = <Kind extends TraceEvent['kind']>(events: TraceEvent[], kind: Kind) =>
  events.filter((event): event is Extract<TraceEvent, { kind: Kind }> => event.kind === kind);
const failure = (where: string, code: string, message: RegExp) =>
  expect.objectContaining({ name: 'ExecutionFailure', where, code, message: expect.stringMatching(message) });

interface SentBody {
  messages: { role: string; content: unknown }[];
  tools: { function: { name: string } }[];
}

/** What the model was sent last. */
function sent(): SentBody {
  const request = mock.getLastRequest();
  if (request === null) throw new Error('nothing was sent to the model');
  return request.body as unknown as SentBody;
}

test.each([
  ['its own workspace', undefined, 'workspace-1'],
  ['the workspace that tests it, where another one provides it without its secrets', false, 'workspace-1'],
  ['the workspace that provides it with its secrets', true, 'workspace-2'],
])('an agent uses the keys of %s', async (_, usesSecrets, workspaceId) => {
  const provider = { workspaceId: 'workspace-2', workspace: 'two', agentId: 'agent-2' };
  const who = scripted(usesSecrets === undefined ? {} : { provider: { ...provider, usesSecrets } });
  const asked: string[] = [];
  await begin(who, undefined, async (workspace) => {
    asked.push(workspace);
    return null;
  });
  expect(asked).toEqual([workspaceId]);
});

describe('with the offline model and a real server', () => {
  test('a request leads through a tool to an answer, and every step is a fact of the trace', async () => {
    const { conversation, say, events } = await begin(agent({ mcpServers: files() }));
    const { text } = await say(`List directory with path "${folder}"`);
    expect(text).toContain('[FILE] a.txt');
    expect(conversation.offered.tools.map(({ tool }) => tool)).toContain('list_directory');
    expect(events.map(({ kind, parent }) => [kind, parent])).toEqual([
      ['user_message', null],
      ['model_called', 1],
      ['model_returned', 2],
      ['tool_called', 1],
      ['tool_returned', 4],
      ['model_called', 1],
      ['model_returned', 6],
      ['agent_message', 1],
    ]);
    expect(of(events, 'model_called')[0]?.data).toEqual({ model: 'offline', offline: true });
    expect(of(events, 'tool_called')[0]?.data).toMatchObject({
      server: 'filesystem',
      tool: 'list_directory',
      args: { path: folder },
    });
    expect(of(events, 'agent_message')[0]?.data).toEqual({
      text,
      attachments: [],
      suggestedActions: [],
      replyTo: 1,
    });
  });

  test(verifies('two conversations with the same agent leave the same trace', 'O8'), async () => {
    const hold = async () => {
      const { say, events } = await begin(agent({ mcpServers: files() }));
      await say(`List directory "${folder}", then read text file with path "${folder}/a.txt"`);
      await say(`Get file info of "${folder}/missing.txt"`);
      return JSON.parse(
        JSON.stringify(events, (key, value) =>
          ['at', 'batch', 'durationMs'].includes(key) ? undefined : value,
        ),
      ) as TraceEvent[];
    };
    const first = await hold();
    expect(of(first, 'tool_called').map(({ data }) => data.tool)).toEqual([
      'list_directory',
      'read_text_file',
      'get_file_info',
    ]);
    expect(await hold()).toEqual(first);
  });

  test('a skill that fits is loaded when it is needed, and that is no tool call', async () => {
    const skills = [
      { name: 'tidy-up', description: 'How to tidy\n a messy folder', body: 'Sort by name.' },
      { name: 'poetry', description: 'How to write a poem', body: 'Rhyme.' },
    ];
    const { conversation, say, events } = await begin(agent({ skills }));
    expect(conversation.offered).toEqual({ tools: [], skills: ['tidy-up', 'poetry'] });
    expect(await say('Please tidy my folder')).toEqual({ text: 'Sort by name.' });
    expect(kinds(events)).toEqual([
      'user_message',
      'model_called',
      'model_returned',
      'skill_loaded',
      'model_called',
      'model_returned',
      'agent_message',
    ]);
    expect(of(events, 'skill_loaded')[0]?.data).toEqual({ skill: 'tidy-up' });
    await say('Tidy the folder once more');
    expect(of(events, 'skill_loaded')).toHaveLength(1);
  });
});

describe('with a language model', () => {
  test('the model is told the instructions, the prompts, the skills and how to load them', async () => {
    mock.on({}, { content: 'Hello.' });
    const { say } = await begin(
      scripted({
        prompts: [
          { name: 'tone', body: 'Answer briefly.' },
          { name: 'empty', body: ' ' },
        ],
        skills: [{ name: 'tidy-up', description: 'How to\ntidy', body: 'Sort by name.' }],
      }),
    );
    await say('Hi');
    const { messages, tools: offered } = sent();
    expect(messages[0]?.content).toBe(
      'Help with files.\n\nAnswer briefly.\n\n' +
        'Skills hold further instructions. Before you do what one of them is for, load it: ' +
        'call load_skill with its name.\n- tidy-up: How to tidy',
    );
    expect(offered.map((tool) => tool.function.name)).toEqual(['load_skill']);
    expect(JSON.stringify(offered)).not.toContain('Sort by name.');
  });

  test('the calls of one message run together, and stand in the trace and go back in the order listed', async () => {
    mock.on(
      { hasToolResult: false },
      {
        content: 'Let me look.',
        toolCalls: [
          { name: 'slow', arguments: { ms: 300 }, id: 'a' },
          { name: 'load_skill', arguments: { name: 'tidy-up' }, id: 'b' },
          { name: 'slow', arguments: { ms: 10 }, id: 'c' },
          { name: 'load_skill', arguments: { name: 'poetry' }, id: 'd' },
        ],
      },
    );
    mock.on({ hasToolResult: true }, { content: 'Done.' });
    const skills = [
      { name: 'tidy-up', description: 'How to tidy', body: 'Sort by name.' },
      { name: 'poetry', description: 'How to rhyme', body: 'Rhyme.' },
    ];
    const { say, events } = await begin(scripted({ mcpServers: [unruly()], skills }));
    expect(await say('Go')).toEqual({ text: 'Let me look.\n\nDone.' });
    expect(kinds(events)).toEqual([
      'user_message',
      'model_called',
      'model_returned',
      'agent_message',
      'tool_called',
      'skill_loaded',
      'tool_called',
      'skill_loaded',
      'tool_returned',
      'tool_returned',
      'model_called',
      'model_returned',
      'agent_message',
    ]);
    expect(new Set(of(events, 'tool_called').map(({ data }) => data.batch)).size).toBe(1);
    expect(of(events, 'agent_message').map(({ data }) => data.text)).toEqual(['Let me look.', 'Done.']);
    expect(of(events, 'skill_loaded').map(({ data }) => data.skill)).toEqual(['tidy-up', 'poetry']);
    expect(sent().messages.slice(-4)).toMatchObject([
      { role: 'tool', tool_call_id: 'a', content: 'after 300 ms' },
      { role: 'tool', tool_call_id: 'b', content: 'Sort by name.' },
      { role: 'tool', tool_call_id: 'c', content: 'after 10 ms' },
      { role: 'tool', tool_call_id: 'd', content: 'Rhyme.' },
    ]);
  });

  test('calls of what does not exist are answered with an error, and the conversation goes on', async () => {
    mock.on(
      { hasToolResult: false },
      {
        toolCalls: [
          { name: 'loook', arguments: {}, id: 'a' },
          { name: 'load_skill', arguments: { name: 'tidy' }, id: 'b' },
          { name: 'look', arguments: '{"half":', id: 'c' },
        ],
      },
    );
    mock.on({ hasToolResult: true }, { content: 'I could not.' });
    const skills = [{ name: 'tidy-up', description: 'How to tidy', body: 'Sort by name.' }];
    const { say, events } = await begin(scripted({ mcpServers: [unruly()], skills }));
    expect(await say('Go')).toEqual({ text: 'I could not.' });
    expect(of(events, 'skill_loaded')).toEqual([]);
    expect(of(events, 'tool_called').map(({ data }) => [data.server, data.tool])).toEqual([
      [null, 'loook'],
      [null, 'look'],
    ]);
    expect(of(events, 'tool_returned').map(({ data }) => data.isError)).toEqual([true, true]);
    expect(sent().messages.slice(-3)).toMatchObject([
      { content: expect.stringContaining('no tool "loook"') },
      { content: 'There is no skill "tidy". There are: tidy-up.' },
      { content: expect.stringContaining('{"half":') },
    ]);
  });

  test('a server that is lost ends the conversation: what it did is not known', async () => {
    mock.on({ hasToolResult: false }, { toolCalls: [{ name: 'crash', arguments: {}, id: 'a' }] });
    mock.on({ hasToolResult: true }, { content: 'All is well.' });
    const { say, events } = await begin(scripted({ mcpServers: [unruly()] }));
    await expect(say('Go')).rejects.toEqual(
      failure('tool', 'server_lost', /"unruly" was lost .*exit code 7/),
    );
    expect(kinds(events).slice(-2)).toEqual(['tool_called', 'tool_returned']);
    expect(of(events, 'agent_message')).toEqual([]);
  });

  test('the whole conversation goes along with the next message', async () => {
    mock.on(
      { userMessage: 'first', hasToolResult: false },
      { toolCalls: [{ name: 'look', arguments: {}, id: 'a' }] },
    );
    mock.on({ userMessage: 'first', hasToolResult: true }, { content: 'Seen.' });
    mock.on({ userMessage: 'second' }, { content: 'As I said.' });
    const { say } = await begin(scripted({ mcpServers: [unruly()] }));
    await say('first');
    await say('second');
    expect(sent().messages.map(({ role }) => role)).toEqual([
      'developer',
      'user',
      'assistant',
      'tool',
      'assistant',
      'user',
    ]);
  });

  test('usage and cost of each call are facts of the trace', async () => {
    mock.on({}, { content: 'Hello.', usage: { prompt_tokens: 1000, completion_tokens: 500 } });
    const { say, events } = await begin(scripted());
    await say('Hi');
    expect(of(events, 'model_called')[0]?.data).toEqual({ model: 'openai:gpt-5-mini', offline: false });
    expect(of(events, 'model_returned')[0]?.data).toEqual({
      usage: { inputTokens: 1000, outputTokens: 500 },
      costUsd: 0.00125,
      finish: 'stop',
    });
  });

  test('an empty reply is an empty message', async () => {
    mock.on({}, { content: '' });
    const { say, events } = await begin(scripted());
    expect(await say('Hi')).toEqual({ text: '' });
    expect(of(events, 'agent_message')[0]?.data.text).toBe('');
  });

  describe.each(['length', 'content_filter', 'gave_up'])(
    'a reply that ended by %s was never finished',
    (finish) => {
      const cutOff = failure('model', 'reply_cut_off', /openai:gpt-5-mini/);

      test.each(['', 'The first half of'])('and is no answer with the text "%s"', async (content) => {
        mock.on({}, { content, finishReason: finish });
        const { say, events } = await begin(scripted());
        await expect(say('Hi')).rejects.toEqual(cutOff);
        expect(of(events, 'model_returned')[0]?.data.finish).toBe(finish);
        expect(of(events, 'agent_message')).toEqual([]);
      });

      test('and its calls are not sent, though a call without arguments looks whole', async () => {
        mock.on({}, { toolCalls: [{ name: 'look', arguments: '' }], finishReason: finish });
        const { say, events } = await begin(scripted({ mcpServers: [unruly()] }));
        await expect(say('Hi')).rejects.toEqual(cutOff);
        expect(of(events, 'tool_called')).toEqual([]);
      });
    },
  );

  test('a failure of the model ends the turn', async () => {
    mock.on({}, { error: { message: 'bad key' }, status: 401 });
    const { say, events } = await begin(scripted());
    await expect(say('Hi')).rejects.toEqual(failure('model', 'unauthorized', /bad key/));
    expect(kinds(events)).toEqual(['user_message', 'model_called']);
  });
});

describe('limits, each inclusive', () => {
  const usage = { prompt_tokens: 60, completion_tokens: 40 };
  const once = () => {
    mock.on({ hasToolResult: false }, { toolCalls: [{ name: 'look', arguments: {} }], usage });
    mock.on({ hasToolResult: true }, { content: 'Done.', usage });
  };
  const limited = (changes: Partial<typeof limits>) =>
    scripted({ mcpServers: [unruly()], limits: { ...limits, ...changes } });

  test('as many model calls as the limit answer a message, and again the next one', async () => {
    once();
    const { say } = await begin(limited({ modelCalls: 2 }));
    expect(await say('Go')).toEqual({ text: 'Done.' });
    expect(await say('Again')).toEqual({ text: 'Done.' });
  });

  test('one model call more ends the conversation', async () => {
    once();
    const { say, events } = await begin(limited({ modelCalls: 1 }));
    await expect(say('Go')).rejects.toEqual(
      failure('agent', 'limit_model_calls', /limit of 1 .*limits\.modelCalls/),
    );
    expect(of(events, 'model_called')).toHaveLength(1);
    expect(of(events, 'tool_returned')).toHaveLength(1);
  });

  test('as many tokens as the limit are used by a conversation', async () => {
    once();
    const { say } = await begin(limited({ tokens: 200 }));
    expect(await say('Go')).toEqual({ text: 'Done.' });
  });

  test('one token more ends it, after the call is in the trace', async () => {
    once();
    const { say, events } = await begin(limited({ tokens: 199 }));
    await expect(say('Go')).rejects.toEqual(
      failure('agent', 'limit_tokens', /limit of 199 .*limits\.tokens.*used 200/),
    );
    expect(of(events, 'model_returned')).toHaveLength(2);
    expect(of(events, 'agent_message')).toEqual([]);
  });

  test('the time ends a conversation while a tool hangs', async () => {
    mock.on({}, { toolCalls: [{ name: 'hang', arguments: {} }] });
    const { say, events } = await begin(limited({ seconds: 0.5 }));
    const started = performance.now();
    await expect(say('Go')).rejects.toEqual(
      failure('agent', 'limit_seconds', /limit of 0\.5 .*limits\.seconds/),
    );
    expect(performance.now() - started).toBeLessThan(2000);
    expect(of(events, 'tool_returned')[0]?.data.isError).toBe(true);
  });

  test('the time ends a conversation while the model hangs', async () => {
    mock.on({}, { content: 'late' }, { chaos: { latencyMs: 20_000 } });
    const { say } = await begin(limited({ seconds: 0.3 }));
    await expect(say('Go')).rejects.toEqual(failure('agent', 'limit_seconds', /limits\.seconds/));
  });
});

describe('an abort', () => {
  test.each([
    ['a tool', { toolCalls: [{ name: 'hang', arguments: {} }] }, {}],
    ['the model', { content: 'late' }, { chaos: { latencyMs: 20_000 } }],
  ])('rejects at once with its reason while %s hangs', async (_what, response, options) => {
    mock.on({}, response, options);
    const cancel = new AbortController();
    const reason = new Error('cancelled by a person');
    const { conversation, say } = await begin(scripted({ mcpServers: [unruly()] }), cancel.signal);
    const reply = say('Go');
    setTimeout(() => cancel.abort(reason), 200);
    const started = performance.now();
    await expect(reply).rejects.toBe(reason);
    await conversation.close();
    expect(performance.now() - started).toBeLessThan(2000);
  });

  test('before a message sends nothing to the model', async () => {
    const cancel = new AbortController();
    const { say, events } = await begin(agent(), cancel.signal);
    const reason = new Error('cancelled');
    cancel.abort(reason);
    await expect(say('Go')).rejects.toBe(reason);
    expect(kinds(events)).toEqual(['user_message']);
  });
});

describe('opening', () => {
  test('fails where the model has no key', async () => {
    const models = createModels({ environment: {}, clock });
    const session = { ...({} as Parameters<typeof nativeAgent.open>[1]), models, tools };
    await expect(nativeAgent.open(scripted(), session)).rejects.toEqual(
      failure('model', 'no_key', /OPENAI_API_KEY/),
    );
  });

  test('fails where a server cannot be reached', async () => {
    const broken = unruly('broken', ['--refuse']);
    await expect(begin(agent({ mcpServers: [broken] }))).rejects.toEqual(
      failure('tool', 'server_unreachable', /broken/),
    );
  });
});
