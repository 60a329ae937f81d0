import type { ModelRequest } from '../core/ports.ts';
import type { Fetch } from '../net/guarded-fetch.ts';
import type { Connection } from './connection.ts';
import type { RawReply } from './reply.ts';

/** What a provider of chat models is handed. */
export interface ProviderContext {
  environment: Record<string, string | undefined>;
  /** Makes every request of the provider; refuses what is no success with HttpRefusal. */
  fetch: Fetch;
}

/** One request to a model. What goes wrong is thrown as the client throws it. */
export type Ask = (request: ModelRequest, signal: AbortSignal) => Promise<RawReply>;

/** Opens one model of a provider. Throws ExecutionFailure where a setting makes no sense. */
export type Provider = (connection: Connection, context: ProviderContext) => Ask;
