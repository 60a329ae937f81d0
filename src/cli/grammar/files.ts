import { type CommandDefinition, RepeatableOption } from '../command.ts';
import type { ApplyOptions } from '../commands/apply.ts';

export const apply: CommandDefinition<ApplyOptions> = {
  usage: 'apply',
  summary: 'Create or update objects from files: all of them or none',
  options: [
    new RepeatableOption(
      '-f, --file <path>',
      'file or folder of YAML or JSON documents, or - for standard input; several times for several of them',
    ).makeOptionMandatory(),
  ],
  examples: ['apply -f agents.yaml', 'apply -f agents.yaml -f tests/', 'export agent | assay apply -f -'],
  load: async () => (await import('../commands/apply.ts')).apply,
};

export const exportObjects: CommandDefinition<object> = {
  usage: 'export [kind] [name]',
  summary: 'Print objects in the form that apply reads',
  examples: ['export > everything.yaml', 'export agent librarian', 'export test-suite'],
  load: async () => (await import('../commands/apply.ts')).exportObjects,
};
