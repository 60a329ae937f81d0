import { ExecutionFailure } from '../core/errors.ts';
import type { Secrets } from '../core/ports.ts';
import type { ProviderSettings } from '../core/provider-settings.ts';

/** Where the settings of a provider stand. */
export interface ProviderPlace {
  /** The word before the colon of a model's name. */
  provider: string;
  ownUrl: string;
  /** null: no key is needed. */
  keyVariable: string | null;
  /** null: the server's environment does not set it. */
  baseUrlVariable: string | null;
}

/** How one model is reached. */
export interface Connection {
  /** As the agent names it: `openai:gpt-5-mini`. */
  name: string;
  /** As the provider names it. */
  model: string;
  baseUrl: string;
  /** Empty: none is needed. */
  apiKey: string;
  /** What to check where the provider refuses the key, or is not there. */
  source: { key: string; baseUrl: string };
}

/** The address and the key of a model: as its workspace says, else as the environment of the server says. Never one of
 *  each: a key of the server must not go where a workspace points. Throws ExecutionFailure where something is missing. */
export function connectionTo(
  model: string,
  place: ProviderPlace,
  given:
    | { workspace: ProviderSettings; secrets: Secrets }
    | { environment: Record<string, string | undefined> },
): Connection {
  const name = `${place.provider}:${model}`;
  if (model === '') {
    throw new ExecutionFailure(
      'model',
      'no_model',
      `The model "${place.provider}" names no model: write "${place.provider}:<model name>".`,
    );
  }
  return 'workspace' in given
    ? ofWorkspace({ name, model }, place, given.workspace, given.secrets)
    : ofEnvironment({ name, model }, place, given.environment);
}

type Named = Pick<Connection, 'name' | 'model'>;

function ofWorkspace(
  named: Named,
  { provider, ownUrl, keyVariable }: ProviderPlace,
  { baseUrl, key }: ProviderSettings,
  secrets: Secrets,
): Connection {
  if (key === null && keyVariable !== null) {
    throw noKey(
      named,
      `the settings of the workspace name "${provider}" without one. Set it there, or take "${provider}" out of them, so that ${keyVariable} of the server counts`,
    );
  }
  const source = `"${provider}" in the settings of the workspace`;
  return {
    ...named,
    baseUrl: baseUrl ?? ownUrl,
    apiKey: key === null ? '' : opened(named, key, secrets, source),
    source: { key: `the key of ${source}`, baseUrl: `the base URL of ${source}` },
  };
}

function opened(
  named: Named,
  key: NonNullable<ProviderSettings['key']>,
  secrets: Secrets,
  source: string,
): string {
  try {
    return secrets.open(key);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw noKey(named, `the stored one of ${source} cannot be opened: ${why.replace(/\.$/, '')}`, cause);
  }
}

function ofEnvironment(
  named: Named,
  { provider, ownUrl, keyVariable, baseUrlVariable }: ProviderPlace,
  environment: Record<string, string | undefined>,
): Connection {
  const setting = (variable: string | null) =>
    variable === null ? '' : (environment[variable]?.trim() ?? '');
  const apiKey = setting(keyVariable);
  if (apiKey === '' && keyVariable !== null) {
    const anyText =
      baseUrlVariable === null ? '' : ` (to any text where the server at ${baseUrlVariable} asks for none)`;
    throw noKey(
      named,
      `set ${keyVariable}, or the key of "${provider}" in the settings of the workspace${anyText}`,
    );
  }
  const baseUrl = setting(baseUrlVariable) || ownUrl;
  if (baseUrlVariable !== null && !/^https?$/.test(URL.parse(baseUrl)?.protocol.slice(0, -1) ?? '')) {
    throw invalidSetting(baseUrlVariable, baseUrl, `must be an http or https address such as ${ownUrl}`);
  }
  return {
    ...named,
    baseUrl,
    apiKey,
    source: {
      key: keyVariable ?? `the key of "${provider}" in the settings of the workspace`,
      baseUrl: baseUrlVariable ?? `the base URL of "${provider}" in the settings of the workspace`,
    },
  };
}

function noKey({ name }: Named, what: string, cause?: unknown): ExecutionFailure {
  return new ExecutionFailure('model', 'no_key', `The model ${name} needs a key: ${what}.`, { cause });
}

/** A variable of the server that makes no sense. */
export function invalidSetting(variable: string, value: string, rule: string): ExecutionFailure {
  return new ExecutionFailure(
    'model',
    'invalid_setting',
    `${variable} is "${shownAddress(value)}": it ${rule}.`,
  );
}

/** An address without the user name and password it may hold. */
export function shownAddress(address: string): string {
  return address.replace(/\/\/[^/@]*@/, '//');
}
