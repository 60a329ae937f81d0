import { Option } from 'commander';
import type { CommandDefinition } from '../command.ts';
import type { ServeOptions } from '../commands/processes.ts';
import { wholeNumber } from './whole-number.ts';

export const serve: CommandDefinition<ServeOptions> = {
  usage: 'serve',
  summary: 'Serve the HTTP API and work on runs, until Ctrl-C',
  options: [
    new Option(
      '--host <name>',
      'address to listen on; for callers on other machines set ASSAY_HOSTS to the names (comma-separated) by which they call this one, all others are refused',
    ).default('127.0.0.1'),
    new Option('--port <number>', 'port to listen on; 0 takes a free one')
      .default(4710)
      .argParser(wholeNumber(0, 65_535)),
  ],
  examples: ['serve', 'serve --port 0', 'serve --host 0.0.0.0'],
  load: async () => (await import('../commands/processes.ts')).serve,
};

export const worker: CommandDefinition<object> = {
  usage: 'worker',
  summary: 'Work on runs without serving anything, until Ctrl-C',
  examples: ['worker'],
  load: async () => (await import('../commands/processes.ts')).worker,
};

export const mcp: CommandDefinition<object> = {
  usage: 'mcp',
  summary: 'Offer the operations as MCP tools over standard input and output',
  examples: ['mcp', 'mcp --workspace main'],
  load: async () => (await import('../commands/processes.ts')).mcp,
};
