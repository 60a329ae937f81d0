import { implement } from '@orpc/server';
import { promptsContract } from '../../contract/prompts.ts';
import { type Call, guarded } from '../call/operation.ts';
import { archiveObject } from '../objects/archive-object.ts';
import { createObject, replaceObject } from '../objects/change-object.ts';
import { getObject } from '../objects/get-object.ts';
import { listObjects } from '../objects/list-objects.ts';
import { promptKind } from '../objects/prompt.ts';

const prompts = implement(promptsContract).$context<Call>().use(guarded);

export const router = prompts.router({
  list: prompts.list.handler(({ context, input }) =>
    listObjects(context, 'prompt', input, { items: async (_transaction, _id, rows) => rows.map(() => ({})) }),
  ),
  get: prompts.get.handler(({ context, input }) => getObject(context, promptKind, input.id)),
  create: prompts.create.handler(({ context, input }) => createObject(context, promptKind, input)),
  update: prompts.update.handler(({ context, input }) => replaceObject(context, promptKind, input)),
  archive: prompts.archive.handler(({ context, input }) => archiveObject(context, promptKind, input.id)),
});
