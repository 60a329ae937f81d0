import { Option } from 'commander';
import type { CommandDefinition } from '../command.ts';
import type { DeployOptions } from '../commands/deploy.ts';
import type { GrantOptions } from '../commands/grants.ts';
import type { TargetOptions } from '../commands/mcp-servers.ts';

export const agentDeploy: CommandDefinition<DeployOptions> = {
  usage: 'deploy <agent>',
  summary: 'Let an active version of an agent answer in an environment',
  options: [
    environmentOption(),
    new Option(
      '--agent-version <version>',
      'active version of the agent, by name or id',
    ).makeOptionMandatory(),
  ],
  examples: ['agent deploy librarian --env dev --agent-version v2'],
  load: async () => (await import('../commands/deploy.ts')).deployAgent,
};

export const serverTest: CommandDefinition<object> = {
  usage: 'test <server>',
  summary: 'Connect to an MCP server and list its tools; nothing is stored',
  examples: ['mcp-server test files', 'mcp-server test files --json'],
  load: async () => (await import('../commands/mcp-servers.ts')).testServer,
};

export const serverRefresh: CommandDefinition<object> = {
  usage: 'refresh <server>',
  summary: 'Ask an MCP server again which tools it offers, and keep the answer',
  examples: ['mcp-server refresh files'],
  load: async () => (await import('../commands/mcp-servers.ts')).refreshTools,
};

export const targetSet: CommandDefinition<TargetOptions> = {
  usage: 'set <server>',
  summary:
    'Say where the calls of an MCP server go in an environment; without an option: to the server itself',
  options: [
    environmentOption(),
    new Option('--mock', 'to mock answers'),
    new Option('--pass-through', 'to mock answers where there is one for the tool, else to the server'),
    new Option('--endpoint <url>', 'another address for the calls that reach a server'),
  ],
  examples: [
    'mcp-target set files --env dev --mock --pass-through',
    'mcp-target set files --env dev --mock',
    'mcp-target set files --env dev --endpoint https://tools.example/mcp',
    'mcp-target set files --env dev',
  ],
  load: async () => (await import('../commands/mcp-servers.ts')).setTarget,
};

export const grantCommands: CommandDefinition<GrantOptions>[] = [
  {
    usage: 'list',
    summary: 'List which agents are provided to which workspaces',
    examples: ['grant list', 'grant list --json'],
    load: async () => (await import('../commands/grants.ts')).listGrants,
  },
  {
    usage: 'get <grant>',
    summary: 'Show a grant, by its id',
    examples: ['grant get 0197…', 'grant get 0197… --json'],
    load: async () => (await import('../commands/grants.ts')).getGrant,
  },
  {
    usage: 'create <agent>',
    summary: 'Provide an agent to another workspace that you may see',
    options: [
      new Option('--to <workspace>', 'who gets it, by name or id').makeOptionMandatory(),
      new Option('--uses-secrets', 'let it work there with the secrets of this workspace'),
    ],
    examples: ['grant create librarian --to main', 'grant create librarian --to main --uses-secrets'],
    load: async () => (await import('../commands/grants.ts')).createGrant,
  },
  {
    usage: 'revoke <grant>',
    summary: 'Provide an agent no longer, by the id of its grant; results stay',
    examples: ['grant revoke 0197…'],
    load: async () => (await import('../commands/grants.ts')).revokeGrant,
  },
];

function environmentOption(): Option {
  return new Option('--env <environment>', 'environment, by name or id').makeOptionMandatory();
}
