import { z } from 'zod';
import { checkDefinition, observesWorkspace } from '../checks/registry.ts';

const request = z.string().refine((text) => text.trim() !== '', 'must not be blank');

/** One request, one answer. */
const singleConversation = z.strictObject({ type: z.literal('single'), request });

const turnCheck = checkDefinition.refine((check) => !observesWorkspace(check), {
  path: ['type'],
  error:
    'must be a check on a single turn; one that looks at the workspace belongs to the checks of the case',
});

/** A scripted conversation; each turn may say what the answer should be and carry checks of its own. */
const goldenConversation = z.strictObject({
  type: z.literal('golden'),
  turns: z
    .array(
      z.strictObject({
        user: request,
        expected: z.string().min(1).optional(),
        checks: z.array(turnCheck).default([]),
      }),
    )
    .min(1, 'needs at least one turn')
    .max(1000),
});

/** How a conversation goes. A new driver adds its schema here and its file under engine/execution/drivers. */
export const conversationSchema = z.discriminatedUnion('type', [singleConversation, goldenConversation]);
export type ConversationDefinition = z.infer<typeof conversationSchema>;
