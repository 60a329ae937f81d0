/** Who acts. Runs, audit entries and idempotency keys carry `key`. */
export interface Principal {
  /** `operator` is whoever owns the data directory of this installation. */
  kind: 'operator' | 'user' | 'token';
  id: string;
  /** As shown to people. */
  name: string;
}

export function principalKey(principal: Principal): string {
  return `${principal.kind}:${principal.id}`;
}

export const localOperator: Principal = { kind: 'operator', id: 'local', name: 'local operator' };
