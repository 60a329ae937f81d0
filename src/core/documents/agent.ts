import { z } from 'zod';
import { nameSchema, referenceSchema } from './name.ts';

/** Limits of one conversation, each inclusive. Reaching one ends the conversation with an error that names it. */
const agentLimits = z.strictObject({
  /** Model calls for one user message. */
  modelCalls: z.int().min(1).max(1000).default(25),
  /** Input plus output tokens of the whole conversation. */
  tokens: z.int().min(1).default(500_000),
  /** Wall time of the whole conversation. */
  seconds: z.number().positive().max(86_400).default(300),
});
export type AgentLimits = z.infer<typeof agentLimits>;

/** `offline` or `<provider>:<model name>`. */
export const modelProviders = ['openai', 'anthropic', 'google-genai', 'ollama'] as const;
export const modelName = z
  .string()
  .refine(
    (name) =>
      name === 'offline' ||
      modelProviders.some((provider) => name.startsWith(`${provider}:`) && name.length > provider.length + 1),
    `must be "offline" or "<provider>:<model name>" with one of ${modelProviders.join(', ')}`,
  );

const agentVersionDocument = z.strictObject({
  name: nameSchema,
  status: z.enum(['draft', 'active']).default('draft'),
  model: modelName,
  instructions: z.string().default(''),
  /** Prompts, skills and MCP servers by name or id. */
  prompts: z.array(referenceSchema).default([]),
  skills: z.array(referenceSchema).default([]),
  mcpServers: z.array(referenceSchema).default([]),
  limits: agentLimits.prefault({}),
});
export type AgentVersionDocument = z.infer<typeof agentVersionDocument>;

export const agentDocument = z.strictObject({
  name: nameSchema,
  versions: z.array(agentVersionDocument).default([]),
  /** Environment → version. */
  deployments: z.record(referenceSchema, referenceSchema).default({}),
});
export type AgentDocument = z.infer<typeof agentDocument>;
