import { implement } from '@orpc/server';
import { agentsContract } from '../../contract/agents.ts';
import { locate } from '../call/locate.ts';
import { type Call, guarded } from '../call/operation.ts';
import { agentKind } from '../objects/agent.ts';
import { listParts, shownParts } from '../objects/agent-parts.ts';
import { archiveObject } from '../objects/archive-object.ts';
import { createObject, replaceObject } from '../objects/change-object.ts';
import { deployVersion } from '../objects/deployments.ts';
import { getObject } from '../objects/get-object.ts';
import { listObjects } from '../objects/list-objects.ts';

const agents = implement(agentsContract).$context<Call>().use(guarded);

export const router = agents.router({
  list: agents.list.handler(({ context, input }) =>
    listObjects(context, 'agent', input, { items: listParts }),
  ),
  get: agents.get.handler(async ({ context, input }) => shown(await getObject(context, agentKind, input.id))),
  create: agents.create.handler(async ({ context, input }) =>
    shown(await createObject(context, agentKind, input)),
  ),
  update: agents.update.handler(async ({ context, input }) =>
    shown(await replaceObject(context, agentKind, input)),
  ),
  archive: agents.archive.handler(({ context, input }) => archiveObject(context, agentKind, input.id)),
  deploy: agents.deploy.handler(async ({ context, input }) =>
    deployVersion(await locate(context, 'agent', input.id), input),
  ),
});

function shown<Shown extends { stored: Parameters<typeof shownParts>[0] }>(object: Shown) {
  return { ...object, ...shownParts(object.stored) };
}
