import { z } from 'zod';
import { modelName, modelProviders } from '../core/documents/agent.ts';
import { operation } from './operation.ts';
import { knownRevision } from './revision.ts';

export { fillVariables } from '../core/documents/variables.ts';
export { modelProviders };

const provider = z.enum(modelProviders);

const settings = z.object({
  /** 0: nothing was ever set. */
  revision: z.int(),
  /** Models that judge and that play users; null: what the server is set to. */
  judgeModel: z.string().nullable(),
  simulatorModel: z.string().nullable(),
  /** What is set for this workspace. Keys are never given back. */
  providers: z.partialRecord(provider, z.object({ baseUrl: z.string().nullable(), hasKey: z.boolean() })),
});

/** It is shown to everybody in the workspace, and a key has a field of its own. */
const baseUrl = z.url({ protocol: /^https?$/, error: 'must be an http or https address' }).refine((text) => {
  const { username, password, search, hash } = URL.parse(text) ?? {};
  return !username && !password && !search && !hash;
}, 'must hold no user name, password, query or fragment');

const providerInput = z.strictObject({
  /** null: the provider's own address. */
  baseUrl: baseUrl.nullable().optional(),
  /** Missing: the stored key stays, unless the host changes; null: it is forgotten. */
  key: z
    .string()
    .trim()
    .min(1, 'must not be blank')
    .max(10_000)
    .regex(/^[\x21-\x7e]*$/, 'must be printable ASCII without spaces')
    .nullable()
    .optional(),
});

/** Models and keys of the current workspace; what is not set here is as the server's environment says. */
export const settingsContract = {
  get: operation({
    method: 'GET',
    path: '/settings',
    summary: 'Models and keys of the workspace',
    role: 'viewer',
    mcp: { name: 'get-settings', readOnly: true, destructive: false },
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
        revision: knownRevision,
        judgeModel: modelName
          .refine((name) => name !== 'offline', 'must not be "offline", which is no judge')
          .nullable()
          .optional(),
        simulatorModel: modelName.nullable().optional(),
        /** One that is given takes the place of all that the server says of that provider; null ends that. */
        providers: z.partialRecord(provider, providerInput.nullable()).default({}),
      }),
    )
    .output(settings),
};
