import { z } from 'zod';
import { nameSchema } from './name.ts';

const timeZone = z.string().refine(
  (name) => {
    try {
      new Intl.DateTimeFormat('en', { timeZone: name });
      return true;
    } catch {
      return false;
    }
  },
  { error: 'must be a time zone such as Europe/Berlin or UTC' },
);

/** What a team keeps apart from others. Its time zone says what "today" means in its tests. */
export const workspaceDocument = z.strictObject({ name: nameSchema, timeZone: timeZone.default('UTC') });
export type WorkspaceDocument = z.infer<typeof workspaceDocument>;
