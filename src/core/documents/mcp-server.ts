import { z } from 'zod';
import { httpAddress } from './http-address.ts';
import { nameSchema, referenceSchema } from './name.ts';
import { headers, variables } from './sent-secrets.ts';

/** Limit of one tool call by runtime profile, in milliseconds. */
export const profileLimitMs = { standard: 60_000, extended: 120_000, long: 300_000 } as const;
const mcpProfile = z.enum(['standard', 'extended', 'long']);
export type McpProfile = z.infer<typeof mcpProfile>;

const mcpIsolation = z.enum(['run', 'conversation']);
export type McpIsolation = z.infer<typeof mcpIsolation>;

export const targetMode = z.enum(['real', 'mock', 'pass-through']);
export type TargetMode = z.infer<typeof targetMode>;

/** A secret as a file writes it: the text with its `${NAME}` places, and the value where all names are set.
 *  `value` missing: the stored value stays. A bare string is the value itself. */
const secretInput = z.union([
  z.string(),
  z.strictObject({ template: z.string(), value: z.string().optional() }),
]);
export type SecretInput = z.infer<typeof secretInput>;

const transportInput = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('stdio'),
    command: z.string().min(1, 'must not be empty'),
    args: z.array(z.string()).default([]),
    env: variables(secretInput).default({}),
  }),
  z.strictObject({
    type: z.literal('http'),
    url: httpAddress,
    headers: headers(secretInput).default({}),
  }),
  /** This product's own tools, as whoever started the run. */
  z.strictObject({ type: z.literal('builtin') }),
]);

/** Where the calls of a server go in an environment. */
export const targetInput = z.strictObject({
  mode: targetMode,
  endpoint: httpAddress.optional(),
});

export const mcpServerDocument = z.strictObject({
  name: nameSchema,
  transport: transportInput,
  profile: mcpProfile.default('standard'),
  isolation: mcpIsolation.default('conversation'),
  /** By environment. */
  targets: z.record(referenceSchema, targetInput).default({}),
});
export type McpServerDocument = z.infer<typeof mcpServerDocument>;
