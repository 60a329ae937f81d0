import { Command } from 'commander';
import { addCommand, type CommandDefinition } from './command.ts';
import { login, logout, memberCommands, tokenCommands } from './grammar/access.ts';
import { agentDeploy, grantCommands, serverRefresh, serverTest, targetSet } from './grammar/agents.ts';
import { nounCommands, nounList } from './grammar/any-noun.ts';
import { apply, exportObjects } from './grammar/files.ts';
import { mcp, serve, worker } from './grammar/processes.ts';
import { settingsGet, settingsUpdate } from './grammar/settings.ts';
import { caseResult, demo, testCancel, testResult, testResults, testRun, testRuns } from './grammar/test.ts';
import { auditList, whoAmI, workspaceCommands } from './grammar/workspace.ts';
import { nouns } from './nouns.ts';
import type { Surroundings } from './surroundings.ts';

/** The whole grammar. Commands load their own files when they run. */
export function buildProgram(surroundings: Surroundings, exit: (code: number) => void): Command {
  const program = new Command('assay')
    .description('Test bench for AI agents and workflows: judges what they did, from the recorded trace.')
    .exitOverride()
    .showHelpAfterError('(add --help for the options and examples)')
    .configureOutput({
      writeOut: (text) => surroundings.stdout.write(text),
      writeErr: (text) => surroundings.stderr.write(text),
    })
    // answered by the launcher, before any of this is loaded
    .option('-V, --version', 'print the version')
    .addHelpText(
      'after',
      '\nCommands go to the server that ASSAY_URL names (with ASSAY_TOKEN), else to the one that runs on the data directory,\nelse to the one of "assay login"; where there is none of these they work in their own process on the data directory.',
    );
  const add = <Options>(parent: Command, definition: CommandDefinition<Options>) =>
    addCommand(parent, surroundings, definition, exit);
  const group = (parent: Command, name: string, summary: string) =>
    parent.command(name).summary(summary).description(summary);

  add(program, demo);
  add(program, apply);
  add(program, exportObjects);

  for (const noun of nouns) {
    const parent = noun.command.slice(0, -1).reduce((above, name) => subcommand(above, name), program);
    const own = group(parent, noun.command.at(-1) as string, noun.about);
    for (const command of nounCommands(noun)) add(own, command);
  }
  add(subcommand(program, 'agent'), agentDeploy);
  add(subcommand(program, 'mcp-server'), serverTest);
  add(subcommand(program, 'mcp-server'), serverRefresh);
  const target = group(program, 'mcp-target', 'Where the calls of MCP servers go');
  add(target, targetSet);
  const grant = group(program, 'grant', 'Agents that are provided to other workspaces');
  for (const command of grantCommands) add(grant, command);

  const settings = group(program, 'settings', 'Models and keys of the workspace');
  add(settings, settingsGet);
  add(settings, settingsUpdate);

  add(program, login);
  add(program, logout);
  add(program, whoAmI);
  const token = group(program, 'token', 'API tokens of the workspace');
  for (const command of tokenCommands) add(token, command);
  const member = group(program, 'member', 'People of the workspace');
  for (const command of memberCommands) add(member, command);
  const workspace = group(program, 'workspace', 'Workspaces');
  for (const command of workspaceCommands) add(workspace, command);
  add(group(program, 'audit', 'Who changed what'), auditList);

  const test = subcommand(program, 'test');
  const suites = nouns.find(({ kind }) => kind === 'test-suite');
  if (suites !== undefined) add(test, nounList(suites, 'suites', 'test suites'));
  add(test, testRun);
  add(test, testRuns);
  add(test, testResult);
  add(test, testResults);
  add(test, caseResult);
  add(test, testCancel);

  add(program, serve);
  add(program, worker);
  add(program, mcp);
  return program;
}

/** A command that was added before. */
function subcommand(parent: Command, name: string): Command {
  return parent.commands.find((each) => each.name() === name) as Command;
}
