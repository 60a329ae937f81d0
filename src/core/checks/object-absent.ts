import { z } from 'zod';
import { checkKind, failed, passed, unjudged } from '../check.ts';
import { nameSchema } from '../documents/name.ts';
import { reason } from '../reasons.ts';
import { observableObjects } from '../trace.ts';
import { quoted } from './named-tool.ts';

export const objectAbsent = checkKind({
  title: 'Workspace object does not exist afterwards',
  schema: z.strictObject({
    type: z.literal('object_absent'),
    object: z.enum(observableObjects),
    name: nameSchema,
  }),
  source: 'trace',
  applies: 'Always. The workspace of the run is looked at before and after the conversation.',
  sentence: ({ object, name }) => `the ${object} ${quoted(name)} does not exist after the conversation`,
  observe: ({ object, name }) => [{ object, name }],
  judge(trace, { object, name }) {
    const after = trace.observation(object, name, 'after');
    if (after === null) {
      return unjudged('not looked at', reason('object_not_observed', { object, name, when: 'after' }));
    }
    return after.exists
      ? failed('exists', reason('object_present', { object, name }))
      : passed('does not exist');
  },
});
