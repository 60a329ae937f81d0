import { z } from 'zod';
import { operation } from './operation.ts';
import { page, pageInput } from './page.ts';
import { roles } from './role.ts';

const token = z.object({
  id: z.string(),
  name: z.string(),
  /** The most it may do; never more than its owner may at the moment of a call. */
  role: z.enum(roles),
  /** Who made it. */
  owner: z.object({ id: z.string(), name: z.string() }),
  /** First characters of the token, to recognise it by. */
  start: z.string(),
  createdAt: z.string(),
  expiresAt: z.string().nullable(),
  lastUsedAt: z.string().nullable(),
});

/** API tokens of the current workspace. Everybody sees and revokes their own, admins those of all. */
export const tokensContract = {
  list: operation({ method: 'GET', path: '/tokens', summary: 'List API tokens', role: 'viewer' })
    .input(pageInput)
    .output(page(token)),
  create: operation({
    method: 'POST',
    path: '/tokens',
    summary: 'Make an API token for the current workspace; it is shown this one time',
    role: 'viewer',
  })
    .input(
      z.strictObject({
        name: z.string().trim().min(1, 'must not be blank').max(100),
        role: z.enum(roles),
        expiresInDays: z.int().min(1).max(3650).optional(),
      }),
    )
    .output(token.extend({ token: z.string() })),
  revoke: operation({
    method: 'DELETE',
    path: '/tokens/{id}',
    summary: 'End an API token at once',
    role: 'viewer',
  })
    .input(z.strictObject({ id: z.string().min(1) }))
    .output(z.object({ id: z.string(), name: z.string() })),
};
