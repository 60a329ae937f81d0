import { z } from 'zod';
import { agentDocument } from '../core/documents/agent.ts';
import { nounContract } from './noun.ts';
import { operation } from './operation.ts';

const version = z.object({ id: z.string(), name: z.string(), status: z.enum(['draft', 'active']) });

const versionsAndDeployments = {
  /** Oldest first. */
  versions: z.array(version),
  /** Version by environment, by their names. */
  deployments: z.record(z.string(), z.string()),
  /** Name of the workspace that provides the agent; null: it is of this workspace. */
  providedBy: z.string().nullable(),
};

export const agentsContract = {
  ...nounContract({
    noun: 'agent',
    document: agentDocument,
    item: versionsAndDeployments,
    more: versionsAndDeployments,
  }),
  deploy: operation({
    method: 'PUT',
    path: '/agents/{id}/deployments/{environment}',
    summary: 'Let an active version of an agent answer in an environment',
    role: 'editor',
    mcp: { name: 'deploy-agent', readOnly: false, destructive: true },
  })
    .input(
      z.strictObject({
        id: z.string().min(1, 'is needed'),
        /** Name or id. */
        environment: z.string().min(1, 'is needed'),
        /** Name or id of a version of that agent. */
        version: z.string().min(1, 'is needed'),
      }),
    )
    .output(z.object({ agent: z.string(), environment: z.string(), version: z.string() })),
};
