import { principalKey } from '../../core/principal.ts';
import type { ChangedBy } from '../../store/audit.ts';
import type { ApiContext } from './context.ts';

/** The caller, as the audit log notes whose change it was. */
export function changedBy({ program, principal }: Pick<ApiContext, 'program' | 'principal'>): ChangedBy {
  return { principal: principalKey(principal), random: program.random };
}
