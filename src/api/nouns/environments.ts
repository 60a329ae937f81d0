import { implement } from '@orpc/server';
import { environmentsContract } from '../../contract/environments.ts';
import { listEnvironments } from '../../store/environment.ts';
import { type Call, guarded } from '../call/operation.ts';
import { archiveObject } from '../objects/archive-object.ts';
import { createObject, replaceObject } from '../objects/change-object.ts';
import { environmentKind } from '../objects/environment.ts';
import { getObject } from '../objects/get-object.ts';
import { fromStored, listObjects } from '../objects/list-objects.ts';

const environments = implement(environmentsContract).$context<Call>().use(guarded);

export const router = environments.router({
  list: environments.list.handler(({ context, input }) =>
    listObjects(context, 'environment', input, {
      items: fromStored(listEnvironments, ({ live }) => ({ live })),
    }),
  ),
  get: environments.get.handler(({ context, input }) => getObject(context, environmentKind, input.id)),
  create: environments.create.handler(({ context, input }) => createObject(context, environmentKind, input)),
  update: environments.update.handler(({ context, input }) => replaceObject(context, environmentKind, input)),
  archive: environments.archive.handler(({ context, input }) =>
    archiveObject(context, environmentKind, input.id),
  ),
});
