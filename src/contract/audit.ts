import { z } from 'zod';
import { operation } from './operation.ts';
import { filterText, page, pageInput } from './page.ts';

/** Who changed what, newest first. */
export const auditContract = operation({
  method: 'GET',
  path: '/audit-log',
  summary: 'List who changed what in the workspace, newest first',
  role: 'admin',
  mcp: { name: 'list-audit-log', readOnly: true, destructive: false },
})
  .input(
    pageInput.extend({
      /** Such as `test-suite`. */
      objectKind: filterText.optional(),
      objectId: z.uuid().optional(),
      /** Such as `test-suite.update`. */
      action: filterText.optional(),
    }),
  )
  .output(
    page(
      z.object({
        id: z.string(),
        at: z.string(),
        principal: z.string(),
        action: z.string(),
        objectKind: z.string(),
        objectId: z.string().nullable(),
        objectName: z.string().nullable(),
      }),
    ),
  );
