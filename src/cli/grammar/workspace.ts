import { Option } from 'commander';
import type { CommandDefinition } from '../command.ts';
import type { AuditOptions, WorkspaceListOptions, WorkspaceOptions } from '../commands/workspaces.ts';
import { listOptions } from './any-noun.ts';
import { wholeNumber } from './whole-number.ts';

const timeZone = () =>
  new Option('--time-zone <name>', 'such as Europe/Berlin: what "today" means in its tests');

export const workspaceCommands: CommandDefinition<WorkspaceOptions & WorkspaceListOptions>[] = [
  {
    usage: 'list',
    summary: 'List the workspaces that you may see, with your role in each',
    options: listOptions(),
    examples: ['workspace list', 'workspace list --search team --json'],
    load: async () => (await import('../commands/workspaces.ts')).listWorkspaces,
  },
  {
    usage: 'get <workspace>',
    summary: 'Show a workspace, by name or id',
    examples: ['workspace get main', 'workspace get main --json'],
    load: async () => (await import('../commands/workspaces.ts')).getWorkspace,
  },
  {
    usage: 'create <name>',
    summary: 'Create a workspace, with the environments dev and prod, and become its admin',
    options: [timeZone()],
    examples: ['workspace create team', 'workspace create team --time-zone Europe/Berlin'],
    load: async () => (await import('../commands/workspaces.ts')).createWorkspace,
  },
  {
    usage: 'update',
    summary: 'Give the current workspace another name or time zone; what is not named stays',
    options: [new Option('--name <name>', 'its new name'), timeZone()],
    examples: [
      'workspace update --time-zone Asia/Ho_Chi_Minh',
      'workspace update --workspace team --name crew',
    ],
    load: async () => (await import('../commands/workspaces.ts')).updateWorkspace,
  },
  {
    usage: 'archive <workspace>',
    summary:
      'Archive a workspace, by name or id: nobody gets into it any more, and what it provides and is provided with ends',
    examples: ['workspace archive team'],
    load: async () => (await import('../commands/workspaces.ts')).archiveWorkspace,
  },
];

export const whoAmI: CommandDefinition<object> = {
  usage: 'whoami',
  summary: 'Say who you are, and what you may do in the workspace',
  examples: ['whoami', 'whoami --workspace team --json'],
  load: async () => (await import('../commands/workspaces.ts')).whoAmI,
};

export const auditList: CommandDefinition<AuditOptions> = {
  usage: 'list',
  summary: 'List who changed what in the workspace, newest first',
  options: [
    new Option('--kind <kind>', 'only changes of this kind of object, such as test-suite'),
    new Option('--object <id>', 'only changes of the object with this id'),
    new Option('--action <action>', 'only this, such as prompt.archive'),
    new Option('--limit <number>', 'the most to list').default(50).argParser(wholeNumber(1)),
  ],
  examples: [
    'audit list',
    'audit list --kind agent --limit 200',
    'audit list --action prompt.archive --json',
  ],
  load: async () => (await import('../commands/workspaces.ts')).listAudit,
};
