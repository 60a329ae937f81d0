import type { Clock, Model, Redact } from '../core/ports.ts';
import type { Fetch } from '../net/guarded-fetch.ts';

/** What a provider of chat models is handed. */
export interface ProviderContext {
  environment: Record<string, string | undefined>;
  clock: Clock;
  /** Makes every request of the provider; the guarded one in the product. */
  fetch: Fetch;
  /** Hears each key in use, so that it can be redacted. */
  secretsSeen: (secret: string) => void;
  /** What a provider says may hold the key it was given. */
  redact: Redact;
}

/** Opens one model of a provider by the name after the colon. Throws ExecutionFailure where a setting is missing. */
export type Provider = (model: string, context: ProviderContext) => Promise<Model>;
