import { z } from 'zod';
import { modelName, modelProviders } from '../core/documents/agent.ts';
import { operation } from './operation.ts';

const provider = z.enum(modelProviders);

const settings = z.object({
  revision: z.int(),
  /** Models that judge and that play users; null: what the server is set to. */
  judgeModel: z.string().nullable(),
  simulatorModel: z.string().nullable(),
  /** What is set for this workspace. Keys are never given back. */
  providers: z.partialRecord(provider, z.object({ baseUrl: z.string().nullable(), hasKey: z.boolean() })),
});

const providerInput = z.strictObject({
  /** null: the provider's own address. */
  baseUrl: z
    .url({ protocol: /^https?$/, error: 'must be an http or https address' })
    .nullable()
    .optional(),
  /** Missing: the stored key stays, unless the host changes; null: it is forgotten. */
  key: z.string().min(1, 'must not be empty').nullable().optional(),
});

/** Models and keys of the current workspace; what is not set here is as the server's environment says. */
export const settingsContract = {
  get: operation({
    method: 'GET',
    path: '/settings',
    summary: 'Models and keys of the workspace',
    role: 'viewer',
  })
    .input(z.strictObject({}))
    .output(settings),
  update: operation({
    method: 'PUT',
    path: '/settings',
    summary: 'Change models and keys of the workspace; what is not named stays',
    role: 'admin',
  })
    .input(
      z.strictObject({
        revision: z.int().optional(),
        judgeModel: modelName.nullable().optional(),
        simulatorModel: modelName.nullable().optional(),
        /** A provider with null is as the server says again. */
        providers: z.partialRecord(provider, providerInput.nullable()).default({}),
      }),
    )
    .output(settings),
};
