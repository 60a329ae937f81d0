import { implement } from '@orpc/server';
import { grantsContract } from '../../contract/grants.ts';
import { listGrants, type StoredGrant } from '../../store/grant.ts';
import type { ApiContext } from '../call/context.ts';
import { locate } from '../call/locate.ts';
import { type Call, guarded } from '../call/operation.ts';
import { type PageInput, pageOf } from '../call/page.ts';
import { createGrant, getGrant, revokeGrant } from './granting.ts';

const grants = implement(grantsContract).$context<Call>().use(guarded);

export const router = grants.router({
  list: grants.list.handler(({ context, input }) => listPage(context, input)),
  get: grants.get.handler(async ({ context, input }) =>
    shownGrant(await getGrant(await locate(context, 'agent_grant', input.id), input.id)),
  ),
  create: grants.create.handler(async ({ context, input }) =>
    shownGrant(await createGrant(await locate(context, 'agent', input.agent), input)),
  ),
  revoke: grants.revoke.handler(async ({ context, input }) =>
    revokeGrant(await locate(context, 'agent_grant', input.id), input.id),
  ),
});

function listPage({ program, workspace }: ApiContext, input: PageInput) {
  return program.database.inSnapshot(workspace.id, (transaction) =>
    pageOf(input, async (after, limit) => {
      const found = await listGrants(transaction, workspace.id, { after, limit });
      return found.map((grant) => ({ ...shownGrant(grant), position: grant.agent }));
    }),
  );
}

function shownGrant({ id, agentId, agent, consumerId, consumer, usesSecrets, createdAt }: StoredGrant) {
  return {
    id,
    agent: { id: agentId, name: agent },
    consumer: { id: consumerId, name: consumer },
    usesSecrets,
    createdAt: createdAt.toISOString(),
  };
}
