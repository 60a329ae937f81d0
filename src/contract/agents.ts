import { z } from 'zod';
import { operation } from './operation.ts';
import { page, pageInput } from './page.ts';

export const agentsContract = {
  list: operation({
    method: 'GET',
    path: '/agents',
    summary: 'Agents by name with their versions and deployments',
    role: 'viewer',
  })
    .input(pageInput)
    .output(
      page(
        z.object({
          id: z.string(),
          name: z.string(),
          versions: z.array(
            z.object({ id: z.string(), name: z.string(), status: z.enum(['draft', 'active']) }),
          ),
          deployments: z.record(z.string(), z.string()),
        }),
      ),
    ),
};
