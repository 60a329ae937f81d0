import { Option } from 'commander';
import { roles } from '../../contract/role.ts';
import type { CommandDefinition } from '../command.ts';
import type { LoginOptions } from '../commands/login.ts';
import type { NewMemberOptions } from '../commands/members.ts';
import type { NewTokenOptions } from '../commands/tokens.ts';
import { wholeNumber } from './whole-number.ts';

export const login: CommandDefinition<LoginOptions> = {
  usage: 'login',
  summary:
    'Keep a server and a token for it, which commands use where ASSAY_URL is not set and no server runs on the data directory',
  options: [
    new Option('--url <url>', 'address of the server; asked for where it is missing'),
    new Option('--token <source>', '- reads the token from standard input; asked for where it is missing'),
  ],
  examples: ['login', 'login --url https://assay.example --token - < token.txt'],
  load: async () => (await import('../commands/login.ts')).login,
};

export const logout: CommandDefinition<object> = {
  usage: 'logout',
  summary: 'Forget what login keeps; the token itself stays good until it is revoked',
  examples: ['logout'],
  load: async () => (await import('../commands/login.ts')).logout,
};

export const tokenCommands: CommandDefinition<NewTokenOptions>[] = [
  {
    usage: 'list',
    summary: 'List your API tokens for the workspace; for an admin those of all',
    examples: ['token list', 'token list --json'],
    load: async () => (await import('../commands/tokens.ts')).listTokens,
  },
  {
    usage: 'create',
    summary: 'Make an API token for the workspace, and print it this one time',
    options: [
      new Option('--name <name>', 'what the token is for').makeOptionMandatory(),
      new Option('--role <role>', 'the most that it may do').choices(roles).default('viewer'),
      new Option('--expires-in-days <number>', 'when it ends by itself; else it does not').argParser(
        wholeNumber(1, 3650),
      ),
    ],
    examples: [
      'token create --name ci --role editor',
      'token create --name trial --expires-in-days 7 --json',
    ],
    load: async () => (await import('../commands/tokens.ts')).createToken,
  },
  {
    usage: 'revoke <token>',
    summary: 'End an API token at once, by its id or name',
    examples: ['token revoke ci'],
    load: async () => (await import('../commands/tokens.ts')).revokeToken,
  },
];

export const memberCommands: CommandDefinition<NewMemberOptions>[] = [
  {
    usage: 'list',
    summary: 'List the members of the workspace',
    examples: ['member list'],
    load: async () => (await import('../commands/members.ts')).listMembers,
  },
  {
    usage: 'add <email>',
    summary: 'Add a person; for somebody new this prints the link by which they choose a password',
    options: [
      new Option('--name <name>', 'name of the person; needed for somebody new'),
      new Option('--role <role>', 'what they may do').choices(roles).makeOptionMandatory(),
    ],
    examples: ['member add ada@assay.example --name Ada --role editor'],
    load: async () => (await import('../commands/members.ts')).addMember,
  },
  {
    usage: 'set-role <member> <role>',
    summary: 'Give a member, by e-mail address or id, another role: viewer, editor or admin',
    examples: ['member set-role ada@assay.example admin'],
    load: async () => (await import('../commands/members.ts')).setRole,
  },
  {
    usage: 'remove <member>',
    summary: 'Take a member, by e-mail address or id, out of the workspace; their tokens for it end',
    examples: ['member remove ada@assay.example'],
    load: async () => (await import('../commands/members.ts')).removeMember,
  },
];
