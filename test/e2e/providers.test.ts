import { LLMock } from '@copilotkit/aimock';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RunResult } from '../../src/contract/result.ts';
import { openEmbedded } from '../../src/store/embedded/server.ts';
import { anthropic, google, ollama, openai } from '../model-server.ts';
import { type Ended, type Installation, installation } from './installation.ts';

// Our own agent with a model of each provider, over real HTTP, with a real MCP server, by the keys of its workspace.
const canary = 'canary-0815-must-not-show';
const providers = [openai, anthropic, google, ollama];

const agentFiles = providers.map(
  ({ provider, model }) => `---
kind: agent
name: with ${provider}
versions: [{ name: v1, status: active, model: "${model}", instructions: "Be brief.", mcpServers: [files] }]
deployments: { dev: v1 }
---
kind: test-case
name: lists with ${provider}
agent: with ${provider}
environment: dev
conversation: { type: single, request: "list the folder" }
checks: [{ type: tool_called, tool: list_directory }, { type: tool_not_called, tool: write_file }]
`,
);
const objects = `
kind: mcp-server
name: files
transport: { type: stdio, command: npx, args: ["-y", "@modelcontextprotocol/server-filesystem", "\${FILES_DIR}"] }
${agentFiles.join('')}---
kind: test-suite
name: each provider
testCaseIds: [${providers.map(({ provider }) => `lists with ${provider}`).join(', ')}]
`;

let place: Installation;
let mock: LLMock;
/** All that any command has said. */
const said: Ended[] = [];
const assay: Installation['assay'] = async (args, options) => {
  const ended = await place.assay(args, options);
  said.push(ended);
  return ended;
};

beforeAll(async () => {
  place = await installation();
  mock = new LLMock({ port: 0 });
  mock.on(
    { userMessage: 'list the folder', hasToolResult: false },
    { toolCalls: [{ name: 'list_directory', arguments: { path: place.files } }] },
  );
  mock.on(
    { hasToolResult: true, predicate: ({ messages }) => JSON.stringify(messages).includes('[FILE] a.txt') },
    { content: `There is a.txt. By the way, my key is ${canary}.` },
  );
  await mock.start();
  expect((await assay(['apply', '-f', '-'], { stdin: objects })).code).toBe(0);
});
afterAll(async () => {
  await mock.stop();
  await place.remove();
});

const run = () => assay(['test', 'run', '--suite', 'each provider', '--parallel', '4', '--wait', '--json']);
const casesOf = ({ stdout }: Ended) => (JSON.parse(stdout) as RunResult).results;

test('a provider without a key is the error of its case, naming the variable and the setting', async () => {
  const ended = await run();
  expect(ended.code).toBe(2);
  const reasons = casesOf(ended).map(({ outcome, reason }) => `${outcome}: ${reason}`);
  for (const [index, variable] of ['OPENAI_API_KEY', 'ANTHROPIC_API_KEY', 'GOOGLE_API_KEY'].entries()) {
    expect(reasons[index]).toMatch(
      new RegExp(`^error: .*${variable}.*"${providers[index]?.provider}" in the settings of the workspace`),
    );
  }
  expect(reasons[3]).toMatch(/^error: .*127\.0\.0\.1:11434.*OLLAMA_BASE_URL/);
});

test('keys are set from a variable, from standard input and from a file, and never shown', async () => {
  const at = (provider: string) => ['settings', 'update', '--provider', provider, '--base-url'];
  const env = { THE_KEY: canary, MOCK: mock.url };
  const variable = await assay([...at('openai'), `${mock.url}/v1`, '--key-from', 'THE_KEY'], { env });
  expect([variable.code, variable.stdout]).toEqual([0, expect.stringMatching(/openai +http:.*\/v1 +set/)]);
  const input = await assay([...at('anthropic'), mock.url, '--key-from', '-'], { stdin: `${canary}\n` });
  expect(input.code).toBe(0);
  const file = `
judgeModel: openai:gpt-5
providers:
  google-genai: { baseUrl: "\${MOCK}", key: "\${THE_KEY}" }
  ollama: { baseUrl: "\${MOCK}" }
`;
  expect((await assay(['settings', 'update', '-f', '-'], { env, stdin: file })).code).toBe(0);
  const shown = await assay(['settings', 'get', '--json']);
  expect(JSON.parse(shown.stdout)).toMatchObject({
    judgeModel: 'openai:gpt-5',
    providers: {
      openai: { baseUrl: `${mock.url}/v1`, hasKey: true },
      anthropic: { baseUrl: mock.url, hasKey: true },
      'google-genai': { baseUrl: mock.url, hasKey: true },
      ollama: { baseUrl: mock.url, hasKey: false },
    },
  });
});

test('each provider lets the agent call tools and answer', async () => {
  const ended = await run();
  expect(casesOf(ended).map(({ reason }) => reason)).toEqual(Array(4).fill(''));
  expect(ended.code).toBe(0);
  for (const [index, result] of casesOf(ended).entries()) {
    const [conversation] = result.conversations;
    expect(conversation?.model).toBe(providers[index]?.model);
    expect(conversation?.toolCalls).toMatchObject([
      { server: 'files', tool: 'list_directory', args: { path: place.files }, isError: false },
    ]);
    expect(conversation?.messages.at(-1)?.text).toBe('There is a.txt. By the way, my key is [redacted].');
  }
  const paths = new Set(mock.getRequests().map(({ path }) => path.split('?')[0]));
  expect(paths.size).toBe(3);
});

test.each([
  [['--provider', 'openai'], 'needs --base-url, --key-from or --reset'],
  [['--base-url', 'http://127.0.0.1:1'], 'need --provider'],
  [['--provider', 'mystery', '--reset'], 'google-genai'],
  [['--provider', 'openai', '--key-from', canary], 'it takes no key'],
  [[], 'Say what to set'],
  [['-f', '-', '--reset'], "cannot be used with option '--reset'"],
])('an update with %j is refused', async (args, message) => {
  const ended = await assay(['settings', 'update', ...args], { stdin: '{}' });
  expect([ended.code, ended.stderr]).toEqual([64, expect.stringContaining(message)]);
});

test.each([
  [`providers: { openai: { key: "\${NOT_SET}" } }`, 64, 'standard input:2: the variable NOT_SET is not set'],
  ['providers: { openai', 64, 'standard input:'],
  ['just text', 64, 'holds no settings'],
  ['providers: { mystery: {} }', 1, 'providers.mystery'],
  [
    'providers: { openai: { baseUrl: "http://127.0.0.1:2/v1" } }',
    1,
    'providers.openai.key: must be given again',
  ],
])('a file with %s is refused', async (text, code, message) => {
  const ended = await assay(['settings', 'update', '-f', '-'], { stdin: `# settings\n${text}\n` });
  expect([ended.code, ended.stderr]).toEqual([code, expect.stringContaining(message)]);
});

test('the key stands in nothing that was said or stored', async () => {
  const exported = await assay(['export']);
  expect(exported.code).toBe(0);
  expect(JSON.stringify(said.filter((ended) => JSON.stringify(ended).includes(canary)))).toBe('[]');
  const server = await openEmbedded({ home: place.home, fsync: false });
  // it sees every workspace
  const client = new pg.Client(server.connection('system'));
  await client.connect();
  try {
    const tables = await client.query(
      `select format('%I.%I', schemaname, tablename) as name from pg_tables
       where schemaname not in ('pg_catalog', 'information_schema')
       and has_table_privilege(format('%I.%I', schemaname, tablename), 'select')`,
    );
    let seen = 0;
    for (const { name } of tables.rows) {
      const { rows } = await client.query(`select row_to_json(t)::text as text from ${name} t`);
      expect(rows.filter(({ text }) => text.includes(canary))).toEqual([]);
      seen += rows.length;
    }
    expect(seen).toBeGreaterThan(50);
  } finally {
    await client.end();
    await server.stop();
  }
});
