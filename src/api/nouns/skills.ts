import { implement } from '@orpc/server';
import { skillsContract } from '../../contract/skills.ts';
import { readSkills } from '../../store/skill.ts';
import { type Call, guarded } from '../call/operation.ts';
import { archiveObject } from '../objects/archive-object.ts';
import { createObject, replaceObject } from '../objects/change-object.ts';
import { getObject } from '../objects/get-object.ts';
import { fromStored, listObjects } from '../objects/list-objects.ts';
import { skillKind } from '../objects/skill.ts';

const skills = implement(skillsContract).$context<Call>().use(guarded);

export const router = skills.router({
  list: skills.list.handler(({ context, input }) =>
    listObjects(context, 'skill', input, {
      items: fromStored(readSkills, ({ description }) => ({ description })),
    }),
  ),
  get: skills.get.handler(({ context, input }) => getObject(context, skillKind, input.id)),
  create: skills.create.handler(({ context, input }) => createObject(context, skillKind, input)),
  update: skills.update.handler(({ context, input }) => replaceObject(context, skillKind, input)),
  archive: skills.archive.handler(({ context, input }) => archiveObject(context, skillKind, input.id)),
});
