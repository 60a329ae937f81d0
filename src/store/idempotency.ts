import { AssayError } from '../core/errors.ts';
import type { WorkspaceTransaction } from './database.ts';

const keptMs = 24 * 60 * 60 * 1000;

export interface IdempotentCall {
  workspaceId: string;
  /** `principalKey` of the caller. */
  principal: string;
  operation: string;
  key: string;
  /** Of everything that the caller asks for. */
  bodyHash: string;
  /** What the call is about to make. */
  objectId: string;
  now: Date;
}

/** Gives the id that the call is to make, or the one that an earlier call with the same key has made. Calls at the same
 *  time wait for each other. Throws `conflict` where the earlier call asked for something else. */
export async function claimKey(transaction: WorkspaceTransaction, call: IdempotentCall): Promise<string> {
  const columns = {
    workspace_id: call.workspaceId,
    principal: call.principal,
    operation: call.operation,
    key: call.key,
  };
  const mine = Object.entries(columns) as [keyof typeof columns, string][];
  await transaction
    .deleteFrom('idempotency_key')
    .where(({ and, eb }) => and(mine.map(([column, value]) => eb(column, '=', value))))
    .where('created_at', '<=', new Date(call.now.getTime() - keptMs))
    .execute();
  const claimed = await transaction
    .insertInto('idempotency_key')
    .values({ ...columns, body_hash: call.bodyHash, object_id: call.objectId, created_at: call.now })
    .onConflict((conflict) => conflict.columns(['workspace_id', 'principal', 'operation', 'key']).doNothing())
    .returning('object_id')
    .executeTakeFirst();
  if (claimed !== undefined) return claimed.object_id;
  const earlier = await transaction
    .selectFrom('idempotency_key')
    .select(['body_hash', 'object_id'])
    .where(({ and, eb }) => and(mine.map(([column, value]) => eb(column, '=', value))))
    .executeTakeFirstOrThrow();
  if (earlier.body_hash === call.bodyHash) return earlier.object_id;
  throw new AssayError(
    'conflict',
    `The idempotency key "${call.key}" was used for another request within the last 24 hours. Use a new key.`,
    [{ field: 'idempotencyKey', value: call.key, message: 'was used for another request' }],
  );
}
