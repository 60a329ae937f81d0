import { modelProviders } from '../core/documents/agent.ts';
import { ExecutionFailure } from '../core/errors.ts';
import type { Clock, Model, Models, RedactFor, Secrets } from '../core/ports.ts';
import type { ProviderSettings, ReadProviderSettings } from '../core/provider-settings.ts';
import { chatModel } from './chat-model.ts';
import { connectionTo, type ProviderPlace } from './connection.ts';
import { providerFetch } from './http-refusal.ts';
import type { Provider, ProviderContext } from './provider.ts';
import { requestTimeoutMs } from './time-limit.ts';

type ProviderName = (typeof modelProviders)[number];

/** Every provider by the word before the colon of a model's name. Loaded when first used: their clients take time. */
const providers: Record<ProviderName, Omit<ProviderPlace, 'provider'> & { load(): Promise<Provider> }> = {
  openai: {
    load: async () => (await import('./openai/openai.ts')).openOpenai,
    ownUrl: 'https://api.openai.com/v1',
    keyVariable: 'OPENAI_API_KEY',
    baseUrlVariable: 'OPENAI_BASE_URL',
  },
  anthropic: {
    load: async () => (await import('./anthropic/anthropic.ts')).openAnthropic,
    ownUrl: 'https://api.anthropic.com',
    keyVariable: 'ANTHROPIC_API_KEY',
    baseUrlVariable: 'ANTHROPIC_BASE_URL',
  },
  'google-genai': {
    load: async () => (await import('./google-genai/google-genai.ts')).openGoogle,
    ownUrl: 'https://generativelanguage.googleapis.com',
    keyVariable: 'GOOGLE_API_KEY',
    baseUrlVariable: null,
  },
  ollama: {
    load: async () => (await import('./ollama/ollama.ts')).openOllama,
    ownUrl: 'http://127.0.0.1:11434',
    keyVariable: null,
    baseUrlVariable: 'OLLAMA_BASE_URL',
  },
};

export interface ModelsOptions extends Partial<ProviderContext> {
  environment: ProviderContext['environment'];
  clock: Clock;
  /** Hears each key in use, so that it can be redacted: whose it is, null for the process itself. */
  secretSeen?(secret: string, workspaceId: string | null): void;
  /** What a provider says may hold the key it was given, or what it was sent. */
  redactFor?: RedactFor;
  /** What workspaces say of providers; without it only the environment counts. */
  workspaces?: { read: ReadProviderSettings; secrets: Secrets };
}

/** Chat models by name: `offline`, `openai:gpt-5-mini`. A model is opened once and shared by all conversations of the
 *  workspaces that say nothing of its provider; of one that does, until its settings change. */
export function createModels(options: ModelsOptions): Models {
  const { read = async () => null } = options.workspaces ?? {};
  const opened = new Map<string, OpenModel>();
  return {
    open: async (name, workspaceId) => {
      const provider = providerOf(name);
      const set = provider === 'offline' ? null : await read(workspaceId, provider);
      const key = set === null ? name : `${workspaceId} ${name}`;
      const revision = set?.revision ?? 0;
      const known = opened.get(key);
      if (known?.revision === revision) return forWorkspace(known, workspaceId);
      const model = openModel(name, provider, set && { ...set, workspaceId }, options);
      const entry = { revision, model, used: new Map<string, Model>() };
      opened.set(key, entry);
      // What was missing may be there the next time.
      model.catch(() => opened.get(key) === entry && opened.delete(key));
      return forWorkspace(entry, workspaceId);
    },
  };
}

/** The model as one workspace uses it. */
type OpenedModel = (workspaceId: string) => Model;

interface OpenModel {
  revision: number;
  model: Promise<OpenedModel>;
  /** By workspace. */
  used: Map<string, Model>;
}

async function forWorkspace({ model, used }: OpenModel, workspaceId: string): Promise<Model> {
  const open = await model;
  const known = used.get(workspaceId) ?? open(workspaceId);
  used.set(workspaceId, known);
  return known;
}

/** Throws where there is none of that name. */
function providerOf(name: string): ProviderName | 'offline' {
  if (name === 'offline') return name;
  const [word] = name.split(':', 1);
  const provider = modelProviders.find((known) => known === word);
  if (provider !== undefined) return provider;
  throw new ExecutionFailure(
    'model',
    'unknown_provider',
    `The model "${name}" names the provider "${word}", which this installation does not have. It has: offline, ${modelProviders.join(', ')}.`,
  );
}

async function openModel(
  name: string,
  provider: ProviderName | 'offline',
  workspace: (ProviderSettings & { workspaceId: string }) | null,
  options: ModelsOptions,
): Promise<OpenedModel> {
  const { environment, clock, workspaces, secretSeen, redactFor = () => (value) => value } = options;
  if (provider === 'offline') {
    const { offlineModel } = await import('./offline/offline.ts');
    return () => offlineModel;
  }
  const place = providers[provider];
  const connection = connectionTo(
    name.slice(provider.length + 1),
    { ...place, provider },
    workspace !== null && workspaces !== undefined
      ? { workspace, secrets: workspaces.secrets }
      : { environment },
  );
  secretSeen?.(connection.apiKey, workspace?.workspaceId ?? null);
  const open = await place.load();
  const ask = open(connection, { environment, fetch: providerFetch(options.fetch ?? fetch) });
  const timeoutMs = requestTimeoutMs(environment);
  return (workspaceId) => chatModel(connection, ask, { timeoutMs, redact: redactFor([workspaceId]), clock });
}
