import { Option } from 'commander';
import type { CommandDefinition } from '../command.ts';
import type { AuditOptions, WorkspaceOptions } from '../commands/workspaces.ts';
import { wholeNumber } from './whole-number.ts';

const timeZone = () =>
  new Option('--time-zone <name>', 'such as Europe/Berlin: what "today" means in its tests');

export const workspaceCommands: CommandDefinition<WorkspaceOptions>[] = [
  {
    usage: 'list',
    summary: 'List the workspaces that you may see, with your role in each',
    examples: ['workspace list', 'workspace list --json'],
    load: async () => (await import('../commands/workspaces.ts')).listWorkspaces,
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
];

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
