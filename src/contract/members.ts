import { z } from 'zod';
import { operation } from './operation.ts';
import { page, pageInput } from './page.ts';
import { roles } from './role.ts';

const member = z.object({
  userId: z.string(),
  name: z.string(),
  email: z.string(),
  role: z.enum(roles),
  createdAt: z.string(),
});

const role = z.enum(roles);

/** People of the current workspace. A workspace with members always keeps an admin. */
export const membersContract = {
  list: operation({
    method: 'GET',
    path: '/members',
    summary: 'List the members of the workspace',
    role: 'viewer',
  })
    .input(pageInput)
    .output(page(member)),
  add: operation({
    method: 'POST',
    path: '/members',
    summary: 'Add a person; somebody new gets a one-time link to choose a password with',
    role: 'admin',
    byPerson: true,
  })
    .input(
      z.strictObject({
        email: z.email('must be an e-mail address').max(200),
        /** Needed for somebody new. */
        name: z.string().min(1).max(200).optional(),
        role,
      }),
    )
    .output(member.extend({ /** Shown once; null: they have an account. */ link: z.string().nullable() })),
  setRole: operation({
    method: 'PUT',
    path: '/members/{userId}',
    summary: 'Give a member another role',
    role: 'admin',
    byPerson: true,
  })
    .input(z.strictObject({ userId: z.string().min(1), role }))
    .output(member),
  remove: operation({
    method: 'DELETE',
    path: '/members/{userId}',
    summary: 'Take a member out of the workspace; their tokens for it end at once',
    role: 'admin',
    byPerson: true,
  })
    .input(z.strictObject({ userId: z.string().min(1) }))
    .output(z.object({ userId: z.string() })),
};
