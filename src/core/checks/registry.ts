import { z } from 'zod';
import type { CheckKind } from '../check.ts';

// Registered kinds; a new kind of check is one file beside this one and one line here.
export const checkKinds: Record<string, CheckKind<{ type: string }>> = {};

export const checkDefinition: z.ZodType<{ type: string }> = z.looseObject({ type: z.string() });
