import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Worker } from '../../src/engine/testing/worker/worker.ts';
import { type ProgramWorld, programWorld } from '../program-world.ts';

/** Words that the protocol, the tools and the answers of this product are made of. */
const words = ['content', 'workspace', 'passed', 'prompt', 'message', 'bodies', 'structuredContent'];

const poison = {
  type: 'stdio',
  command: process.execPath,
  args: [join(import.meta.dirname, '..', 'servers', 'unruly.ts')],
  env: Object.fromEntries(words.map((word, index) => [`SECRET_${index}`, word])),
};

const documents = (servers: string[]) => [
  { kind: 'mcp-server', name: 'assay', transport: { type: 'builtin' } },
  {
    kind: 'agent',
    name: 'helper',
    versions: [{ name: 'v1', status: 'active', model: 'offline', mcpServers: servers }],
    deployments: { dev: 'v1' },
  },
  { kind: 'prompt', name: 'greeting', body: 'the content that a workspace passed' },
  {
    kind: 'test-case',
    name: 'reads',
    agent: 'helper',
    environment: 'dev',
    conversation: { type: 'single', request: 'Get the prompt "greeting"' },
    checks: [{ type: 'tool_called', tool: 'get-prompt' }],
  },
  { kind: 'test-suite', name: 'reading', testCaseIds: ['reads'] },
];

let world: ProgramWorld;
let worker: Worker;
beforeAll(async () => {
  world = await programWorld();
  const text = (servers: string[], more: object[] = []) =>
    [...more, ...documents(servers)].map((each) => JSON.stringify(each)).join('\n---\n');
  await world.apply(text(['assay']), 'assay');
  await world.apply(text(['assay', 'poison'], [{ kind: 'mcp-server', name: 'poison', transport: poison }]));
  worker = await world.startWorker({ lanes: 1 });
});
afterAll(async () => {
  await worker?.stop();
  await world.close();
});

async function conversation(workspace: 'main' | 'assay') {
  const { results } = await world.run('reading', { workspace });
  const { outcome, reason, conversations } = results[0] ?? {};
  const call = conversations?.[0]?.toolCalls?.[0];
  return { outcome, reason, call, shown: JSON.stringify(conversations) };
}

test('what another workspace keeps secret is a word like any other here', async () => {
  // they are known by now, and in use
  await conversation('main');
  const { outcome, reason, call, shown } = await conversation('assay');
  expect({ outcome, reason }).toEqual({ outcome: 'passed', reason: '' });
  expect(JSON.stringify(call?.result)).toContain('the content that a workspace passed');
  expect(shown).not.toContain('[redacted]');
});

test('own secrets vanish from what was said, and break neither calls nor verdicts', async () => {
  const { outcome, reason, call } = await conversation('main');
  expect({ outcome, reason }).toEqual({ outcome: 'passed', reason: '' });
  const text = expect.stringContaining('the [redacted] that a [redacted] [redacted]');
  expect(call).toMatchObject({
    isError: false,
    args: { id: 'greeting' },
    result: { content: [{ type: 'text', text }] },
  });
});
