import { implement } from '@orpc/server';
import { auditContract } from '../../contract/audit.ts';
import { listAudit } from '../../store/audit.ts';
import { type Call, guarded } from '../call/operation.ts';
import { pageById } from '../call/page.ts';

const { auditLog } = implement({ auditLog: auditContract }).$context<Call>().use(guarded);

export const router = auditLog.handler(
  ({ context: { program, workspace }, input: { limit, cursor, ...filter } }) =>
    program.database.inSnapshot(workspace.id, (transaction) =>
      pageById(
        { limit, cursor },
        (before, most) => listAudit(transaction, workspace.id, filter, { before, limit: most }),
        ({ id }) => id,
      ),
    ),
);
