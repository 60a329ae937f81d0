import { Command, Option } from 'commander';
import { type Connection, connect } from './connection.ts';
import { describeFailure, UsageError } from './failure.ts';
import { type Output, type OutputOptions, openOutput } from './output.ts';
import type { Surroundings } from './surroundings.ts';

interface CommonOptions extends OutputOptions {
  workspace?: string;
}

/** What a command works with. */
export interface CommandContext {
  surroundings: Surroundings;
  output: Output;
  /** Opened when asked for, closed when the command ends. */
  connect(): Promise<Connection>;
}

/** A command does its work and gives its exit code. */
export type Run<Options> = (
  context: CommandContext,
  args: (string | undefined)[],
  options: Options & CommonOptions,
) => Promise<number>;

export interface CommandDefinition<Options> {
  /** Name and arguments, such as `result <run>`. */
  usage: string;
  summary: string;
  options?: Option[];
  /** Whole command lines without `assay`. */
  examples: string[];
  /** Exit code when it is refused or fails; 1 unless the codes say how a run ended. */
  failure?: number;
  /** Loads the command's file only now, so that no command waits for the parts of another. */
  load(): Promise<Run<Options>>;
}

/** Exit code of a command line that means nothing. */
export const usageExitCode = 64;

/** Adds a command below `parent`, with the options that every command has. */
export function addCommand<Options>(
  parent: Command,
  surroundings: Surroundings,
  definition: CommandDefinition<Options>,
  exit: (code: number) => void,
): void {
  const command = new Command(definition.usage.split(' ')[0])
    .summary(definition.summary)
    .description(definition.summary)
    .copyInheritedSettings(parent);
  for (const argument of definition.usage.split(' ').slice(1)) command.argument(argument);
  for (const option of definition.options ?? []) command.addOption(option);
  command
    .option('--json', 'print the result as JSON on standard output, and nothing else there')
    .option('--workspace <name>', 'workspace to work in, by name or id (default: ASSAY_WORKSPACE, else main)')
    .option('--no-color', 'print without colours (also: NO_COLOR)')
    .addHelpText(
      'after',
      ['', 'Examples:', ...definition.examples.map((line) => `  assay ${line}`)].join('\n'),
    )
    .action(async () => {
      exit(await runCommand(surroundings, definition, command));
    });
  for (const option of command.options) {
    if (!(option instanceof RepeatableOption)) refuseTwice(command, option);
  }
  parent.addCommand(command);
}

/** An option that may be given several times: its value is the list of what was given, in order. */
export class RepeatableOption extends Option {
  constructor(flags: string, description: string) {
    super(flags, description);
    this.argParser((value, given: string[] | undefined) => [...(given ?? []), value]);
  }
}

/** Of an option that is given twice one value would be ignored. */
function refuseTwice(command: Command, option: Option): void {
  let isGiven = false;
  command.on(`option:${option.name()}`, () => {
    if (isGiven) command.error(`error: option '${option.flags}' is given twice`);
    isGiven = true;
  });
}

async function runCommand<Options>(
  surroundings: Surroundings,
  definition: CommandDefinition<Options>,
  command: Command,
): Promise<number> {
  const options = command.opts() as Options & CommonOptions;
  const output = openOutput(surroundings, options);
  const opened: Connection[] = [];
  const context: CommandContext = {
    surroundings,
    output,
    connect: async () => {
      const connection = await connect(surroundings, options);
      opened.push(connection);
      return connection;
    },
  };
  try {
    const run = await definition.load();
    return await run(context, command.processedArgs as (string | undefined)[], options);
  } catch (error) {
    output.note(`assay: ${describeFailure(error)}`);
    return error instanceof UsageError ? usageExitCode : (definition.failure ?? 1);
  } finally {
    for (const connection of opened) await connection.close();
  }
}
