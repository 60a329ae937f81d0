/**
 * An MCP server over stdio whose tools do what a test bench must survive. It speaks the protocol properly (three tools
 * a page), except where a tool is there not to. Arguments: `--refuse` complains and ends before the handshake;
 * `--modern-only` refuses the handshake that most clients begin with; `--launch` runs the server as a child, as npx
 * does; `--stubborn` ends neither at the end of its input nor at SIGTERM; `--talkative` repeats its variable TOKEN in
 * what it says of a tool.
 */
import { spawn } from 'node:child_process';
import { type CallToolResult, Server, type Tool } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';

const anything = { type: 'object' as const };
const tools: Tool[] = [
  { name: 'undeclared', description: 'Declares nothing about itself', inputSchema: anything },
  {
    name: 'look',
    description: process.argv.includes('--talkative') ? `Reads as ${process.env.TOKEN}` : 'Reads',
    inputSchema: anything,
    annotations: { readOnlyHint: true, title: 'Look' },
  },
  { name: 'erase', description: 'Destroys', inputSchema: anything, annotations: { destructiveHint: true } },
  { name: 'slow', description: 'Answers after {ms}', inputSchema: anything },
  { name: 'hang', description: 'Never answers', inputSchema: anything },
  { name: 'big', description: 'Answers with {bytes} of text', inputSchema: anything },
  { name: 'odd_text', description: 'NUL, lone surrogates and control characters', inputSchema: anything },
  { name: 'deep', description: 'Nested {levels} deep', inputSchema: anything },
  { name: 'invalid_utf8', description: 'Bytes that are no UTF-8', inputSchema: anything },
  { name: 'invalid_json', description: 'A bare NUL inside its JSON', inputSchema: anything },
  { name: 'noisy', description: 'Prints a line that is no message, then answers', inputSchema: anything },
  { name: 'crash', description: 'Ends the process', inputSchema: anything },
  { name: 'fail', description: 'Answers with an error of its own', inputSchema: anything },
  { name: 'protocol_error', description: 'Answers with a protocol error', inputSchema: anything },
  { name: 'environment', description: 'The names of its environment variables', inputSchema: anything },
  {
    name: 'variable',
    description: 'The value of the variable {name}, padded to {bytes}',
    inputSchema: anything,
  },
  { name: 'pid', description: 'Its process id', inputSchema: anything },
  {
    name: 'liar',
    description: 'Returns what its output schema forbids',
    inputSchema: anything,
    outputSchema: { type: 'object', properties: { count: { type: 'number' } }, required: ['count'] },
  },
];
const pageSize = 3;

const text = (value: string): CallToolResult => ({ content: [{ type: 'text', text: value }] });
const never = () => new Promise<never>(() => {});

/** Writes a result as bytes of our own making. */
function raw(id: string | number, ...parts: (string | number[])[]): Promise<never> {
  process.stdout.write(`{"jsonrpc":"2.0","id":${id},"result":`);
  for (const part of parts) process.stdout.write(typeof part === 'string' ? part : Buffer.from(part));
  process.stdout.write('}\n');
  return never();
}

async function call(
  name: string,
  args: Record<string, unknown>,
  id: string | number,
): Promise<CallToolResult> {
  switch (name) {
    case 'slow':
      await new Promise((resolve) => setTimeout(resolve, Number(args.ms)));
      return text(`after ${args.ms} ms`);
    case 'hang':
      return never();
    case 'big':
      return text('x'.repeat(Number(args.bytes)));
    case 'odd_text':
      return text('a\u0000b\ud800c\u001b[31md');
    case 'deep': {
      const levels = Number(args.levels);
      const value = `${'['.repeat(levels)}${']'.repeat(levels)}`;
      return raw(id, `{"content":[],"structuredContent":{"value":${value}}}`);
    }
    case 'invalid_utf8':
      return raw(id, '{"content":[{"type":"text","text":"before', [0xff, 0xfe, 0xc3], 'after"}]}');
    case 'invalid_json':
      return raw(id, '{"content":[{"type":"text","text":"before', [0x00], 'after"}]}');
    case 'noisy':
      process.stdout.write('Listening for requests…\n{"level":"info"}\n');
      return text('quiet again');
    case 'crash':
      process.stderr.write('fatal: the disk is on fire\n');
      return process.exit(7);
    case 'fail':
      return { ...text('there is no such folder'), isError: true };
    case 'protocol_error':
      throw new Error('the tool threw');
    case 'environment':
      return text(Object.keys(process.env).sort().join(' '));
    case 'variable':
      return text(`${process.env[String(args.name)]}`.padStart(Number(args.bytes ?? 0), '.'));
    case 'pid':
      return text(String(process.pid));
    case 'liar':
      return { ...text('many'), structuredContent: { count: 'many' } };
    default:
      return text(`${name} was called with ${JSON.stringify(args)}`);
  }
}

function createServer(): Server {
  const server = new Server({ name: 'unruly', version: '1.0.0' }, { capabilities: { tools: {} } });
  server.setRequestHandler('tools/list', ({ params }) => {
    const start = Number(params?.cursor ?? 0);
    const end = start + pageSize;
    return { tools: tools.slice(start, end), ...(end < tools.length ? { nextCursor: String(end) } : {}) };
  });
  server.setRequestHandler('tools/call', ({ params }, context) =>
    call(params.name, params.arguments ?? {}, context.mcpReq.id),
  );
  return server;
}

if (process.argv.includes('--refuse')) {
  process.stderr.write('error: API_KEY is not set\n');
  process.exit(3);
}
if (process.argv.includes('--launch')) {
  const rest = process.argv.slice(1).filter((argument) => argument !== '--launch');
  spawn(process.execPath, rest, { stdio: 'inherit' });
} else {
  if (process.argv.includes('--stubborn')) {
    process.on('SIGTERM', () => {});
    setInterval(() => {}, 60_000);
  }
  serveStdio(createServer, { legacy: process.argv.includes('--modern-only') ? 'reject' : 'serve' });
}
