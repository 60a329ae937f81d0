import type { SealedSecret } from './sealed-secret.ts';

/** What a workspace says of a provider of models, in place of all that the server's environment says of it. */
export interface ProviderSettings {
  /** null: the provider's own address. */
  baseUrl: string | null;
  key: SealedSecret | null;
}

/** What a workspace says of a provider now; null: nothing. Whatever is set anew has another revision. */
export type ReadProviderSettings = (
  workspaceId: string,
  provider: string,
) => Promise<(ProviderSettings & { revision: number }) | null>;
