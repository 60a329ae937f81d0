import type { AssayClient } from '../../contract/client.ts';
import { fillVariables, modelProviders } from '../../contract/settings.ts';
import { shown } from '../../contract/shown-text.ts';
import type { CommandContext, Run } from '../command.ts';
import { UsageError } from '../failure.ts';
import { type ObjectFile, readObjectFiles, variablesOf } from '../object-files.ts';
import type { Surroundings } from '../surroundings.ts';
import { table } from '../table.ts';

type Settings = Awaited<ReturnType<AssayClient['settings']['get']>>;
type Change = Omit<Parameters<AssayClient['settings']['update']>[0], 'revision'> & { revision?: number };

export interface SettingsOptions {
  file?: string;
  judgeModel?: string;
  simulatorModel?: string;
  provider?: string;
  baseUrl?: string;
  keyFrom?: string;
  reset?: boolean;
}

export const getSettings: Run<object> = async ({ output, connect }) => {
  const { client } = await connect();
  return show(output, await client.settings.get({}));
};

export const updateSettings: Run<SettingsOptions> = async (context, _args, options) => {
  const { output, connect, surroundings } = context;
  const change =
    options.file === undefined
      ? await fromOptions(options, surroundings)
      : await fromFile(options.file, surroundings);
  const { client } = await connect();
  const revision = change.revision ?? (await client.settings.get({})).revision;
  return show(output, await client.settings.update({ ...change, revision }));
};

function show(output: CommandContext['output'], settings: Settings): number {
  output.result(settings, () => {
    const { judgeModel, simulatorModel, providers } = settings;
    const set = Object.entries(providers).map(([name, { baseUrl, hasKey }]) => [
      name,
      baseUrl ?? 'its own',
      hasKey ? 'set' : 'none',
    ]);
    return [
      `Judge: ${shown(judgeModel ?? 'as the server is set')}`,
      `Simulator: ${shown(simulatorModel ?? 'as the server is set')}`,
      set.length === 0
        ? 'Providers: all as the server is set'
        : `\n${table(['PROVIDER', 'ADDRESS', 'KEY'], set)}`,
    ].join('\n');
  });
  return 0;
}

async function fromOptions(options: SettingsOptions, surroundings: Surroundings): Promise<Change> {
  const { judgeModel, simulatorModel, provider, baseUrl, keyFrom, reset } = options;
  const ofProvider = baseUrl !== undefined || keyFrom !== undefined || reset === true;
  if (provider === undefined && ofProvider) {
    throw new UsageError('--base-url, --key-from and --reset need --provider.');
  }
  if (provider !== undefined && !ofProvider) {
    throw new UsageError('--provider needs --base-url, --key-from or --reset.');
  }
  const change = {
    ...(judgeModel === undefined ? {} : { judgeModel: orNull(judgeModel) }),
    ...(simulatorModel === undefined ? {} : { simulatorModel: orNull(simulatorModel) }),
  };
  if (provider === undefined) {
    if (Object.keys(change).length > 0) return change;
    throw new UsageError('Say what to set, with options or a file; --help shows them.');
  }
  const name = modelProviders.find((known) => known === provider);
  if (name === undefined) {
    throw new UsageError(`There is no provider "${provider}". Providers: ${modelProviders.join(', ')}.`);
  }
  const set = {
    ...(baseUrl === undefined ? {} : { baseUrl: orNull(baseUrl) }),
    ...(keyFrom === undefined ? {} : { key: await keyOf(keyFrom, surroundings) }),
  };
  return { ...change, providers: { [name]: reset === true ? null : set } };
}

function orNull(text: string): string | null {
  return text === 'default' ? null : text;
}

/** A key on the command line would stay in the history of the shell, so what is no variable is not repeated either. */
async function keyOf(source: string, { env, stdin }: Surroundings): Promise<string> {
  if (source === '-') return ((await readObjectFiles('-', stdin))[0]?.text ?? '').trim();
  const key = env[source]?.trim();
  if (key !== undefined && key !== '') return key;
  throw new UsageError(
    '--key-from takes the name of a variable that is set, or - for standard input; it takes no key.',
  );
}

async function fromFile(path: string, { env, stdin }: Surroundings): Promise<Change> {
  const [file, ...others] = await readObjectFiles(path, stdin);
  if (file === undefined || others.length > 0)
    throw new UsageError(`-f takes one file, and ${path} is a folder.`);
  const { parseDocument } = await import('yaml');
  const document = parseDocument(file.text);
  const [error] = document.errors;
  if (error !== undefined) {
    const line = error.linePos?.[0].line ?? 1;
    throw new UsageError(
      `${file.path}:${line}: is no YAML: ${error.message.split('\n')[0]?.replace(/ at line.*/, '')}`,
    );
  }
  const filled = fill(document.toJS(), file, variablesOf([file], env));
  if (filled === null || typeof filled !== 'object')
    throw new UsageError(`${file.path} holds no settings, such as "judgeModel: openai:gpt-5-mini".`);
  // the operation says what is wrong with them
  return filled as Change;
}

/** Fills the variables in every text of a value. */
function fill(value: unknown, file: ObjectFile, variables: Record<string, string>): unknown {
  if (Array.isArray(value)) return value.map((item) => fill(item, file, variables));
  if (value !== null && typeof value === 'object') {
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [key, fill(inner, file, variables)]),
    );
  }
  if (typeof value !== 'string') return value;
  const { text, unset } = fillVariables(value, variables);
  if (unset[0] === undefined) return text;
  const line = file.text.split(`\${${unset[0]}}`)[0]?.split('\n').length ?? 1;
  throw new UsageError(`${file.path}:${line}: the variable ${unset[0]} is not set.`);
}
