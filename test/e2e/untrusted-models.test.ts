import { LLMock } from '@copilotkit/aimock';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { CaseResult, RunResult } from '../../src/contract/result.ts';
import { verifies } from '../verifies.ts';
import { type Ended, type Installation, installation } from './installation.ts';

// A real model server over HTTP, which says and asks for what a model may say and ask for.
const objects = `
kind: mcp-server
name: files
transport: { type: stdio, command: npx, args: ["-y", "@modelcontextprotocol/server-filesystem", "\${FILES_DIR}"] }
---
kind: mcp-server
name: gone
transport: { type: stdio, command: no-such-program-anywhere }
---
kind: agent
name: talker
versions: [{ name: v1, status: active, model: "openai:some-model", mcpServers: [files] }]
deployments: { dev: v1 }
---
kind: agent
name: orphan
versions: [{ name: v1, status: active, model: offline, mcpServers: [gone] }]
deployments: { dev: v1 }
---
kind: agent
name: steady
versions: [{ name: v1, status: active, model: offline, mcpServers: [files] }]
deployments: { dev: v1 }
---
kind: test-case
name: claims
agent: talker
environment: dev
conversation: { type: single, request: "claim it" }
checks: [{ type: tool_called, tool: list_directory }]
---
kind: test-case
name: invents
agent: talker
environment: dev
conversation: { type: single, request: "invent it" }
checks: [{ type: tool_called, tool: list_directory }, { type: tool_not_called, tool: write_file }]
---
kind: test-case
name: has no server
agent: orphan
environment: dev
conversation: { type: single, request: "List it" }
checks: [{ type: tool_not_called, tool: write_file }]
---
kind: test-case
name: goes on
agent: steady
environment: dev
conversation: { type: single, request: 'List directory with path "\${FILES_DIR}"' }
checks: [{ type: tool_called, tool: list_directory }]
---
kind: test-suite
name: untrusted
testCaseIds: [claims, invents, has no server, goes on]
`;

let place: Installation;
let mock: LLMock;
beforeAll(async () => {
  place = await installation();
  mock = new LLMock({ port: 0 });
  mock.on({ userMessage: 'claim it' }, { content: 'I called list_directory and all is well.' });
  mock.on(
    { userMessage: 'invent it', hasToolResult: false },
    { toolCalls: [{ name: 'list_directories', arguments: {}, id: 'a' }] },
  );
  mock.on({ userMessage: 'invent it', hasToolResult: true }, { content: 'Done.' });
  await mock.start();
  expect((await place.assay(['apply', '-f', '-'], { stdin: objects })).code).toBe(0);
});
afterAll(async () => {
  await mock.stop();
  await place.remove();
});

const run = (baseUrl: string): Promise<Ended> =>
  place.assay(['test', 'run', '--suite', 'untrusted', '--wait', '--json'], {
    env: { OPENAI_API_KEY: 'a-key-of-nobody', OPENAI_BASE_URL: baseUrl },
  });

function casesOf(ended: Ended): Record<string, CaseResult | undefined> {
  const { results }: RunResult = JSON.parse(ended.stdout);
  return Object.fromEntries(results.map((result) => [result.testCase.name, result]));
}

test(verifies('what a model says or asks for in vain is no call', 'M3', 'M28'), async () => {
  const ended = await run(`${mock.url}/v1`);
  const { claims, invents } = casesOf(ended);
  expect(claims).toMatchObject({
    outcome: 'failed',
    conversations: [{ model: 'openai:some-model', toolCalls: [] }],
  });
  expect(claims?.conversations[0]?.messages.at(-1)?.text).toContain('I called list_directory');
  expect(invents?.outcome).toBe('failed');
  expect(invents?.conversations[0]?.toolCalls).toMatchObject([
    { server: null, tool: 'list_directories', isError: true },
  ]);
  expect(invents?.reason).toContain('"list_directory"');
});

test(verifies('a server that cannot be reached is the error of its case alone', 'O2', 'O3'), async () => {
  const ended = await run(`${mock.url}/v1`);
  const cases = casesOf(ended);
  expect(ended.code).toBe(2);
  expect(cases['has no server']?.outcome).toBe('error');
  expect(cases['has no server']?.reason).toMatch(/"gone".*no-such-program-anywhere/);
  expect(cases['goes on']?.outcome).toBe('passed');
});

test(verifies('a model that cannot be reached is the error of its cases alone', 'O2', 'O3'), async () => {
  const ended = await run('http://127.0.0.1:9/v1');
  const { claims, 'goes on': other } = casesOf(ended);
  expect(ended.code).toBe(2);
  expect(claims).toMatchObject({ outcome: 'error' });
  expect(claims?.reason).toMatch(/127\.0\.0\.1:9/);
  expect(other?.outcome).toBe('passed');
});
