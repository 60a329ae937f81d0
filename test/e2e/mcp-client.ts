import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { root } from './installation.ts';

/** Where a server answers, and as whom. */
export interface McpServer {
  url: string;
  token: string;
  home: string;
}

export interface ToolAnswer {
  answer: unknown;
  isError: boolean;
  /** Every text of the answer. */
  texts: string[];
}

/** A client made by somebody else. */
export interface ForeignClient {
  /** The protocol generation that it speaks. */
  era: string | undefined;
  tools(): Promise<{ name: string; annotations?: unknown; inputSchema: unknown }[]>;
  call(name: string, args: Record<string, unknown>): Promise<ToolAnswer>;
  close(): Promise<void>;
}

type Transport = 'stdio' | 'http';

/** The SDK's client. `modern` speaks the newer generation of the protocol and nothing else, `legacy` the older one. */
export async function sdkClient(
  server: McpServer,
  transport: Transport,
  generation: 'legacy' | 'modern',
): Promise<ForeignClient> {
  const client = new Client(
    { name: 'test', version: '1' },
    { versionNegotiation: { mode: generation === 'legacy' ? 'legacy' : { pin: '2026-07-28' } } },
  );
  await client.connect(transport === 'http' ? overHttp(server) : overStdio(server));
  return {
    era: client.getProtocolEra(),
    tools: async () => (await client.listTools()).tools,
    call: async (name, args) => toolAnswer(await client.callTool({ name, arguments: args })),
    close: () => client.close(),
  };
}

export function overHttp({ url, token }: McpServer, headers = {}): StreamableHTTPClientTransport {
  return new StreamableHTTPClientTransport(new URL(`${url}/mcp`), {
    requestInit: { headers: { authorization: `Bearer ${token}`, ...headers } },
  });
}

function overStdio({ home }: McpServer): StdioClientTransport {
  return new StdioClientTransport({
    command: process.execPath,
    args: [join(root, 'bin', 'assay'), 'mcp'],
    env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', ASSAY_HOME: home },
  });
}

/** The inspector on its command line: a process for each call. It keeps what it keeps in `folder`. */
export function inspector(server: McpServer, transport: Transport, folder: string): ForeignClient {
  const target =
    transport === 'http'
      ? [`${server.url}/mcp`, '--transport', 'http', '--header', `Authorization: Bearer ${server.token}`]
      : [process.execPath, join(root, 'bin', 'assay'), 'mcp', '-e', `ASSAY_HOME=${server.home}`];
  const ask = async (...more: string[]) => JSON.parse(await run(['--cli', ...target, ...more], folder));
  return {
    era: undefined,
    // it ends with an error where a schema cannot be read everywhere
    tools: async () => (await ask('--method', 'tools/list', '--strict')).tools,
    call: async (name, args) => {
      const given = Object.entries(args).map(([key, value]) => `${key}=${textOf(value)}`);
      const pairs = given.flatMap((pair) => ['--tool-arg', pair]);
      return toolAnswer(await ask('--method', 'tools/call', '--tool-name', name, ...pairs));
    },
    close: async () => {},
  };
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));

function run(args: string[], folder: string): Promise<string> {
  const script = join(root, 'node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js');
  return new Promise((resolve, reject) => {
    const env = { PATH: process.env.PATH, HOME: folder };
    execFile(process.execPath, [script, ...args], { env, maxBuffer: 1e8 }, (error, stdout, stderr) => {
      // a tool that refuses is an error of the command too, and its answer stands there all the same
      if (stdout.trim().startsWith('{')) resolve(stdout);
      else reject(new Error(`${error?.message}\n${stderr}`));
    });
  });
}

function toolAnswer(result: {
  structuredContent?: unknown;
  isError?: boolean | undefined;
  content?: unknown;
}): ToolAnswer {
  const content = (result.content ?? []) as { type: string; text: string }[];
  return {
    answer: result.structuredContent,
    isError: result.isError ?? false,
    texts: content.map(({ text }) => text),
  };
}
