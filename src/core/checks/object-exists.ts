import { z } from 'zod';
import { checkKind, failed, passed, unjudged } from '../check.ts';
import { nameSchema } from '../documents/name.ts';
import { reason } from '../reasons.ts';
import { observableObjects } from '../trace.ts';
import { quoted } from './named-tool.ts';

export const objectExists = checkKind({
  title: 'Workspace object exists afterwards',
  schema: z.strictObject({
    type: z.literal('object_exists'),
    object: z.enum(observableObjects),
    name: nameSchema,
    /** true: existing before the conversation, under this name or another, fails it. */
    createdDuring: z.boolean().optional(),
  }),
  source: 'trace',
  applies: 'Always. The workspace of the run is looked at before and after the conversation.',
  sentence: ({ object, name, createdDuring }) =>
    `the ${object} ${quoted(name)} exists after the conversation${createdDuring ? ' and was created during it' : ''}`,
  observe: ({ object, name }) => [{ object, name }],
  judge(trace, { object, name, createdDuring }) {
    const after = trace.observation(object, name, 'after');
    if (after === null) {
      return unjudged('not looked at', reason('object_not_observed', { object, name, when: 'after' }));
    }
    if (!after.exists) return failed('does not exist', reason('object_missing', { object, name }));
    if (createdDuring !== true) return passed('exists');

    const before = trace.observation(object, name, 'before');
    if (before === null) {
      return unjudged('exists', reason('object_not_observed', { object, name, when: 'before' }));
    }
    if (before.exists) {
      return failed('existed before the conversation', reason('object_existed_before', { object, name }));
    }
    return isOlder(after.createdAt, before.now)
      ? failed('created before the conversation', reason('object_created_before', { object, name }))
      : passed('created during the conversation');
  },
});

/** Whether it stood there under another name when it was looked for. Where no time is recorded, the name has to do. */
function isOlder(createdAt: string | null, looked: string | undefined): boolean {
  return createdAt !== null && looked !== undefined && Date.parse(createdAt) < Date.parse(looked);
}
