import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readableCalls } from '../../../test/readable-calls.ts';
import { verifies } from '../../../test/verifies.ts';
import type { JsonObject } from '../../core/json.ts';
import type { ModelMessage, ModelTool } from '../../core/ports.ts';
import { offlineModel } from './offline.ts';

type ServerName = 'filesystem' | 'memory' | 'everything';
const connected = new Map<ServerName, { client: Client; tools: ModelTool[] }>();
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'offline-model-'));
  await writeFile(path.join(folder, 'a.txt'), 'alpha');
  for (const [name, args] of [
    ['filesystem', [folder]],
    ['memory', []],
    ['everything', ['stdio']],
  ] as const) {
    const script = path.join(
      path.dirname(
        createRequire(import.meta.url).resolve(`@modelcontextprotocol/server-${name}/package.json`),
      ),
      'dist/index.js',
    );
    const client = new Client({ name: 'assay-test', version: '1' });
    await client.connect(
      new StdioClientTransport({
        command: process.execPath,
        args: [script, ...args],
        env: { PATH: process.env.PATH ?? '', MEMORY_FILE_PATH: path.join(folder, 'memory.jsonl') },
        stderr: 'ignore',
      }),
    );
    const { tools } = await client.listTools();
    connected.set(name, {
      client,
      tools: tools.map((tool) => ({
        name: tool.name,
        description: tool.description ?? '',
        inputSchema: tool.inputSchema as JsonObject,
      })),
    });
  }
});

afterAll(async () => {
  for (const { client } of connected.values()) await client.close();
  await rm(folder, { recursive: true });
});

/** Holds the conversation with the server's real tools and their real results. */
async function converse(server: ServerName, request: string) {
  const { client, tools } = connected.get(server) as { client: Client; tools: ModelTool[] };
  const messages: ModelMessage[] = [{ role: 'user', text: request.replaceAll('$DIR', folder) }];
  const calls: [string, unknown][][] = [];
  for (;;) {
    const reply = await offlineModel.complete({ system: '', messages, tools }, new AbortController().signal);
    messages.push({ role: 'agent', text: reply.text, toolCalls: reply.toolCalls });
    if (reply.toolCalls.length === 0) return { calls, answer: reply.text };
    calls.push(readableCalls(reply.toolCalls).map(({ name, args }) => [name, args]));
    for (const { id, name, args } of readableCalls(reply.toolCalls)) {
      const result = await client.callTool({ name, arguments: args });
      const content = result.content as { type: string; text?: string }[];
      const text = content.map((part) => part.text ?? `[${part.type}]`).join('\n');
      messages.push({ role: 'tool', callId: id, name, text, isError: result.isError === true });
    }
  }
}

type Row = [request: string, ...messages: [tool: string, args: JsonObject][][]];
const one = (tool: string, args: JsonObject = {}): [string, JsonObject][] => [[tool, args]];

const filesystem: Row[] = [
  ['List directory with path "$DIR"', one('list_directory', { path: '$DIR' })],
  [
    'List directory with path "$DIR", then write file with path "$DIR/k3x9qa.txt" and content "hello"',
    one('list_directory', { path: '$DIR' }),
    one('write_file', { path: '$DIR/k3x9qa.txt', content: 'hello' }),
  ],
  [
    'Write file with path "$DIR/k3x9qa-b.txt" and content "hello", then list directory with path "$DIR"',
    one('write_file', { path: '$DIR/k3x9qa-b.txt', content: 'hello' }),
    one('list_directory', { path: '$DIR' }),
  ],
  ['What files are in the folder $DIR?', one('list_directory', { path: '$DIR' })],
  [
    'Please list the directory $DIR with sizes, sorted by size.',
    one('list_directory_with_sizes', { path: '$DIR', sortBy: 'size' }),
  ],
  ['Which directories are you allowed to access?', one('list_allowed_directories')],
  ['Give me the directory tree of "$DIR"', one('directory_tree', { path: '$DIR' })],
  [
    'Read the first 5 lines of the text file $DIR/a.txt',
    one('read_text_file', { path: '$DIR/a.txt', head: 5 }),
  ],
  [
    'Read multiple files "$DIR/a.txt" and "$DIR/b.txt"',
    one('read_multiple_files', { paths: ['$DIR/a.txt', '$DIR/b.txt'] }),
  ],
  [
    'Search for files matching "**/*.txt" in "$DIR"',
    one('search_files', { path: '$DIR', pattern: '**/*.txt' }),
  ],
  [
    'Rename $DIR/k3x9qa.txt to $DIR/moved.txt',
    one('move_file', { source: '$DIR/k3x9qa.txt', destination: '$DIR/moved.txt' }),
  ],
  [
    'Edit the file "$DIR/a.txt" as a dry run: replace old text "alpha" by new text "beta"',
    one('edit_file', { path: '$DIR/a.txt', edits: [{ oldText: 'alpha', newText: 'beta' }], dryRun: true }),
  ],
  [
    'Create the directory "$DIR/new", then list it',
    one('create_directory', { path: '$DIR/new' }),
    one('list_directory', { path: '$DIR/new' }),
  ],
  [
    'Read the text file "$DIR/a.txt" and the text file "$DIR/moved.txt"',
    [
      ['read_text_file', { path: '$DIR/a.txt' }],
      ['read_text_file', { path: '$DIR/moved.txt' }],
    ],
  ],
  ['Hello, how are you?'],
  ['Tell me a joke about the weather.'],
  ['Do not write anything.'],
];

const memory: Row[] = [
  [
    'Create an entity named "Alice" with entity type "person" and observations "likes tea", "lives in Hanoi"',
    one('create_entities', {
      entities: [{ name: 'Alice', entityType: 'person', observations: ['likes tea', 'lives in Hanoi'] }],
    }),
  ],
  [
    'Create entities [{"name": "Bob", "entityType": "person", "observations": []}]',
    one('create_entities', { entities: [{ name: 'Bob', entityType: 'person', observations: [] }] }),
  ],
  [
    'Create a relation from "Alice" to "Bob" with relation type "knows"',
    one('create_relations', { relations: [{ from: 'Alice', to: 'Bob', relationType: 'knows' }] }),
  ],
  [
    'Find nodes about tea, then open nodes "Alice" and "Bob"',
    one('search_nodes', { query: 'tea' }),
    one('open_nodes', { names: ['Alice', 'Bob'] }),
  ],
  ['Read the graph', one('read_graph')],
  ['Delete entities "Bob"', one('delete_entities', { entityNames: ['Bob'] })],
  ['How are you?'],
];

const everything: Row[] = [
  ['Echo "hello, then goodbye"', one('echo', { message: 'hello, then goodbye' })],
  ['What is the sum of 3 and 5?', one('get-sum', { a: 3, b: 5 })],
  ['Get sum with a=2 and b=-4.5', one('get-sum', { a: 2, b: -4.5 })],
  ['Get an annotated message of type error', one('get-annotated-message', { messageType: 'error' })],
  [
    'Get an annotated message with message type "debug" and include image',
    one('get-annotated-message', { messageType: 'debug', includeImage: true }),
  ],
  ['Get the structured content for New York', one('get-structured-content', { location: 'New York' })],
  ['Get 3 resource links', one('get-resource-links', { count: 3 })],
  [
    'Get a resource reference with resource type Blob and resource id 2',
    one('get-resource-reference', { resourceType: 'Blob', resourceId: 2 }),
  ],
  [
    'Echo "a" and get the sum of 1 and 2',
    [
      ['echo', { message: 'a' }],
      ['get-sum', { a: 1, b: 2 }],
    ],
  ],
  ['What is the meaning of life?'],
];

describe.each([
  ['filesystem', filesystem],
  ['memory', memory],
  ['everything', everything],
] as const)('asked in words, with the tools of server-%s', (server, rows) => {
  test.each(rows)('%s', async (request, ...expected) => {
    const { calls, answer } = await converse(server, request);
    const withFolder = JSON.parse(JSON.stringify(expected).replaceAll('$DIR', folder)) as unknown;
    expect(calls).toEqual(withFolder);
    if (expected.length === 0) expect(answer).toBe('None of my tools fits this request.');
  });
});

test('answers with what the tools returned', async () => {
  const { answer } = await converse('everything', 'Echo "a", then get the sum of 1 and 2');
  expect(answer).toBe('Echo: a\n\nThe sum of 1 and 2 is 3.');
});

test('says that a tool failed, and with what', async () => {
  const { answer } = await converse('filesystem', 'Read the text file "$DIR/missing.txt"');
  expect(answer).toMatch(/^read_text_file failed: .*ENOENT.*missing\.txt/);
});

test(
  verifies('the same conversation with a real server gives the same calls and the same answer', 'O8'),
  async () => {
    const request = 'List directory with path "$DIR", then read text file with path "$DIR/a.txt"';
    const first = await converse('filesystem', request);
    expect(first.calls).toHaveLength(2);
    expect(await converse('filesystem', request)).toEqual(first);
  },
);
