import { Command, InvalidArgumentError, Option } from 'commander';
import { addCommand, type CommandDefinition, RepeatableOption } from './command.ts';
import { login, logout, memberCommands, tokenCommands } from './grammar/access.ts';
import { agentDeploy, grantCommands, serverRefresh, serverTest, targetSet } from './grammar/agents.ts';
import { nounCommands, nounList } from './grammar/noun.ts';
import { settingsGet, settingsUpdate } from './grammar/settings.ts';
import { auditList, workspaceCommands } from './grammar/workspace.ts';
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

  add(program, {
    usage: 'demo',
    summary: 'Set up the shipped example, run its suite and show what came out',
    examples: ['demo'],
    failure: 2,
    load: async () => (await import('./demo.ts')).demo,
  });
  add(program, {
    usage: 'apply',
    summary: 'Create or update objects from files: all of them or none',
    options: [
      new RepeatableOption(
        '-f, --file <path>',
        'file or folder of YAML or JSON documents, or - for standard input; several times for several of them',
      ).makeOptionMandatory(),
    ],
    examples: ['apply -f agents.yaml', 'apply -f agents.yaml -f tests/', 'export agent | assay apply -f -'],
    load: async () => (await import('./commands/apply.ts')).apply,
  });
  add(program, {
    usage: 'export [kind] [name]',
    summary: 'Print objects in the form that apply reads',
    examples: ['export > everything.yaml', 'export agent librarian', 'export test-suite'],
    load: async () => (await import('./commands/apply.ts')).exportObjects,
  });

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
  const token = group(program, 'token', 'API tokens of the workspace');
  for (const command of tokenCommands) add(token, command);
  const member = group(program, 'member', 'People of the workspace');
  for (const command of memberCommands) add(member, command);
  const workspace = group(program, 'workspace', 'Workspaces');
  for (const command of workspaceCommands) add(workspace, command);
  add(group(program, 'audit', 'Who changed what'), auditList);

  addTestCommands(add, subcommand(program, 'test'));

  add(program, {
    usage: 'serve',
    summary: 'Serve the HTTP API and work on runs, until Ctrl-C',
    options: [
      new Option(
        '--host <name>',
        'address to listen on; for callers on other machines set ASSAY_HOSTS to the names (comma-separated) by which they call this one, all others are refused',
      ).default('127.0.0.1'),
      new Option('--port <number>', 'port to listen on; 0 takes a free one')
        .default(4710)
        .argParser(portNumber),
    ],
    examples: ['serve', 'serve --port 0', 'serve --host 0.0.0.0'],
    load: async () => (await import('./commands/processes.ts')).serve,
  });
  add(program, {
    usage: 'worker',
    summary: 'Work on runs without serving anything, until Ctrl-C',
    examples: ['worker'],
    load: async () => (await import('./commands/processes.ts')).worker,
  });
  add(program, {
    usage: 'mcp',
    summary: 'Offer the operations as MCP tools over standard input and output',
    examples: ['mcp', 'mcp --workspace main'],
    load: async () => (await import('./commands/processes.ts')).mcp,
  });
  return program;
}

type Add = <Options>(parent: Command, definition: CommandDefinition<Options>) => void;
/** A command that was added before. */
function subcommand(parent: Command, name: string): Command {
  return parent.commands.find((each) => each.name() === name) as Command;
}

function addTestCommands(add: Add, test: Command): void {
  const suites = nouns.find(({ kind }) => kind === 'test-suite');
  if (suites !== undefined) add(test, nounList(suites, 'suites', 'test suites'));

  add(test, {
    usage: 'run',
    summary: 'Run a test suite',
    options: [
      new Option('--suite <suite>', 'suite to run, by id or name').makeOptionMandatory(),
      new Option(
        '--agent-version <version>',
        'who answers: configured (as each case says), latest (what is deployed), or one version by id or name',
      ).default('configured'),
      new Option('--parallel <number>', 'cases at once, 1 to 64').default(1).argParser(wholeNumber(1, 64)),
      new Option('--wait', 'wait for the end, print the results, and exit with 0 only if the run passed'),
      new Option('--junit <file>', 'with --wait: write the results as JUnit XML'),
      new Option(
        '--min-success-rate <percent>',
        'with --wait: let failed cases pass from this success rate on',
      ).argParser(percentage),
      new Option(
        '--reconnect <seconds>',
        'with --wait: how long to try again where the server goes away (default: 60)',
      ).argParser(wholeNumber(0, 86_400)),
    ],
    examples: [
      'test run --suite files --wait',
      'test run --suite files --wait --junit report.xml --parallel 4',
      'test run --suite files --agent-version v2 --wait --json',
      'test run --suite files --wait --min-success-rate 90',
    ],
    failure: 2,
    load: async () => (await import('./commands/test-run.ts')).testRun,
  });
  add(test, {
    usage: 'result <run>',
    summary: 'Show the result of a run',
    options: [new Option('--junit', 'print the result as JUnit XML').conflicts('json')],
    examples: ['test result 0197…', 'test result 0197… --json', 'test result 0197… --junit > report.xml'],
    load: async () => (await import('./commands/test-result.ts')).testResult,
  });
  add(test, {
    usage: 'cancel <run>',
    summary: 'Stop a run; results that it has already stay',
    examples: ['test cancel 0197…'],
    load: async () => (await import('./commands/test-result.ts')).testCancel,
  });
}

function wholeNumber(least: number, most: number) {
  return (text: string): number => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= least && value <= most) return value;
    throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`);
  };
}

const portNumber = wholeNumber(0, 65_535);

function percentage(text: string): number {
  const value = Number(text);
  if (/^\d+(\.\d{1,6})?$/.test(text) && value <= 100) return value;
  throw new InvalidArgumentError('It must be a number from 0 to 100, with six decimals at most.');
}
