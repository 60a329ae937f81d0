import { ExecutionFailure } from '../core/errors.ts';
import type { Model, Models } from '../core/ports.ts';
import type { Provider, ProviderContext } from './provider.ts';

/** Every provider by the word before the colon of a model's name. Loaded when first used: their clients take time. */
const providers: Record<string, () => Promise<Provider>> = {
  offline: async () => (await import('./offline/offline.ts')).openOffline,
  openai: async () => (await import('./openai/openai.ts')).openOpenai,
};

export type ModelsOptions = Pick<ProviderContext, 'environment' | 'clock'> & Partial<ProviderContext>;

/** Chat models by name: `offline`, `openai:gpt-5-mini`. A model is opened once and shared by all conversations. */
export function createModels(options: ModelsOptions): Models {
  const context: ProviderContext = {
    environment: options.environment,
    clock: options.clock,
    fetch: options.fetch ?? fetch,
    secretsSeen: options.secretsSeen ?? (() => {}),
    redact: options.redact ?? ((value) => value),
  };
  const opened = new Map<string, Promise<Model>>();
  return {
    open: (name) => {
      const known = opened.get(name);
      if (known !== undefined) return known;
      const model = openModel(name, context);
      opened.set(name, model);
      // A setting that was missing may be there the next time.
      model.catch(() => opened.delete(name));
      return model;
    },
  };
}

async function openModel(name: string, context: ProviderContext): Promise<Model> {
  const colon = name.indexOf(':');
  const word = colon < 0 ? name : name.slice(0, colon);
  const provider = Object.hasOwn(providers, word) ? providers[word] : undefined;
  if (provider === undefined) {
    const known = Object.keys(providers).join(', ');
    throw new ExecutionFailure(
      'model',
      'unknown_provider',
      `The model "${name}" names the provider "${word}", which this installation does not have. It has: ${known}.`,
    );
  }
  return (await provider())(colon < 0 ? '' : name.slice(colon + 1), context);
}
