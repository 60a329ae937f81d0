import { Option } from 'commander';
import type { CommandDefinition } from '../command.ts';
import type { SettingsOptions } from '../commands/settings.ts';

export const settingsGet: CommandDefinition<object> = {
  usage: 'get',
  summary: 'Show which models and providers are set for the workspace, without their keys',
  examples: ['settings get', 'settings get --json'],
  load: async () => (await import('../commands/settings.ts')).getSettings,
};

export const settingsUpdate: CommandDefinition<SettingsOptions> = {
  usage: 'update',
  summary: 'Set models and keys of the workspace; what is not named stays',
  options: [
    new Option(
      '-f, --file <path>',
      `YAML or JSON file with judgeModel, simulatorModel and providers, in which \${NAME} stands for a variable; or - for standard input`,
    ).conflicts(['judgeModel', 'simulatorModel', 'provider', 'baseUrl', 'keyFrom', 'reset']),
    new Option('--judge-model <model>', 'model that judges; "default" is what the server is set to'),
    new Option('--simulator-model <model>', 'model that plays users; "default" is what the server is set to'),
    new Option('--provider <name>', 'provider to set: openai, anthropic, google-genai or ollama'),
    new Option(
      '--base-url <url>',
      'with --provider: where it is; "default" is the address of its own',
    ).conflicts('reset'),
    new Option(
      '--key-from <source>',
      'with --provider: the name of the variable that holds the key, or - to read it from standard input',
    ).conflicts('reset'),
    new Option('--reset', 'with --provider: forget what is set, so that it is as the server says again'),
  ],
  examples: [
    'settings update --provider openai --key-from OPENAI_API_KEY',
    'settings update --provider ollama --base-url http://127.0.0.1:11434',
    'settings update --judge-model openai:gpt-5-mini',
    'settings update -f settings.yaml',
  ],
  load: async () => (await import('../commands/settings.ts')).updateSettings,
};
