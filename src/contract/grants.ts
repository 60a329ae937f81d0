import { z } from 'zod';
import { operation } from './operation.ts';
import { page, pageInput } from './page.ts';

const grant = z.object({
  id: z.string(),
  agent: z.object({ id: z.string(), name: z.string() }),
  /** Where the agent is provided to. */
  consumer: z.object({ id: z.string(), name: z.string() }),
  /** Whether the agent works there with the secrets of the workspace that it is from. */
  usesSecrets: z.boolean(),
  createdAt: z.string(),
});

const grantId = z.strictObject({ id: z.string().min(1) });

/** Agents of the current workspace that other workspaces may test and talk to. */
export const grantsContract = {
  list: operation({
    method: 'GET',
    path: '/grants',
    summary: 'List which agents are provided to which workspaces',
    role: 'viewer',
    mcp: { name: 'list-grants', readOnly: true, destructive: false },
  })
    .input(pageInput)
    .output(page(grant)),
  get: operation({
    method: 'GET',
    path: '/grants/{id}',
    summary: 'Get one grant by id',
    role: 'viewer',
  })
    .input(grantId)
    .output(grant),
  create: operation({
    method: 'POST',
    path: '/grants',
    summary: 'Provide an agent to another workspace that you may see',
    role: 'admin',
  })
    .input(
      z.strictObject({
        /** Name or id. */
        agent: z.string().min(1, 'is needed'),
        workspace: z.string().min(1, 'is needed'),
        usesSecrets: z.boolean().default(false),
      }),
    )
    .output(grant),
  revoke: operation({
    method: 'DELETE',
    path: '/grants/{id}',
    summary: 'Provide an agent no longer; results stay',
    role: 'admin',
  })
    .input(grantId)
    .output(z.object({ id: z.string() })),
};
