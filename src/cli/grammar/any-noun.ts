import { Option } from 'commander';
import { withArticle } from '../../contract/article.ts';
import type { CommandDefinition } from '../command.ts';
import type { FileOptions, ListOptions } from '../commands/any-noun.ts';
import type { CliNoun } from '../nouns.ts';
import { wholeNumber } from './whole-number.ts';

// as the contract has it, which takes too long to load for a help text
const orders = ['name', '-name', 'updatedAt', '-updatedAt'];

/** The commands of any noun (`../nouns.ts` has them all), in the order in which help lists them. */
export function nounCommands(noun: CliNoun): CommandDefinition<ListOptions & FileOptions>[] {
  const { argument, file } = noun;
  const aNoun = withArticle(noun.one);
  const command = noun.command.join(' ');
  const example = / /.test(noun.example) ? `"${noun.example}"` : noun.example;
  const path = `${noun.example.replaceAll(' ', '-')}.yaml`;
  return [
    nounList(noun),
    {
      usage: `get <${argument}>`,
      summary: `Show ${aNoun}, by name or id, in the form of its file`,
      examples: [`${command} get ${example}`, `${command} get ${example} > ${path}`],
      load: async () => (await import('../commands/any-noun.ts')).getOne(noun),
    },
    {
      usage: 'create',
      summary: `Create ${aNoun} from a file`,
      options: [fileOption(`YAML or JSON file with ${file}, or - for standard input`)],
      examples: [`${command} create -f ${path}`],
      load: async () => (await import('../commands/any-noun.ts')).createOne(noun),
    },
    {
      usage: 'update',
      summary: `Replace ${aNoun} by the one in a file, which names its id and may name it anew`,
      options: [
        fileOption(
          `YAML or JSON file with id, ${file}, and the revision that it is to replace (else: the present one); or - for standard input`,
        ),
      ],
      examples: [`${command} update -f ${path}`],
      load: async () => (await import('../commands/any-noun.ts')).updateOne(noun),
    },
    {
      usage: `archive <${argument}>`,
      summary: `Archive ${aNoun}, by name or id: it is in no list any more, and results that name it stay`,
      examples: [`${command} archive ${example}`],
      load: async () => (await import('../commands/any-noun.ts')).archiveOne(noun),
    },
  ];
}

/** The list of a noun, under the name that its command has elsewhere. */
export function nounList(noun: CliNoun, usage = 'list', command = `${noun.command.join(' ')} list`) {
  const { several, filters = [] } = noun;
  const definition: CommandDefinition<ListOptions & FileOptions> = {
    usage,
    summary: `List ${several}`,
    options: [...listOptions(), ...filters.map(([flag, , meaning]) => new Option(flag, meaning))],
    examples: [command, `${command} --search a --sort -updatedAt --limit 20`, `${command} --json`],
    load: async () => (await import('../commands/any-noun.ts')).listOf(noun),
  };
  return definition;
}

/** How every list of named objects is narrowed, ordered and cut. */
export function listOptions(): Option[] {
  return [
    new Option('--search <text>', 'only those with this in their name, whatever its case'),
    new Option('--sort <order>', 'by name or by when they were changed; a minus turns it round')
      .choices(orders)
      .default('name'),
    mostListed(),
  ];
}

export function mostListed(): Option {
  return new Option('--limit <number>', 'the most to list (default: all)').argParser(wholeNumber(1));
}

function fileOption(description: string): Option {
  return new Option('-f, --file <path>', description).makeOptionMandatory();
}
