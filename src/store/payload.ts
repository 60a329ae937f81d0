import type pg from 'pg';
import type { PayloadReference } from '../core/trace.ts';

/** A payload that a trace refers to: all of its JSON text, or its beginning where it is cut. */
export interface StoredPayload {
  workspaceId: string;
  reference: PayloadReference;
  text: string;
}

/** Stores a payload once. It is known by its content, so it needs no fence: whoever writes it writes the same. */
export async function storePayload(
  pool: pg.Pool,
  { workspaceId, reference, text }: StoredPayload,
): Promise<void> {
  await pool.query(
    `insert into payload (workspace_id, ref, bytes, cut, body) values ($1, $2, $3, $4, $5)
     on conflict do nothing`,
    [workspaceId, reference.$ref, reference.bytes, reference.cut, Buffer.from(text, 'utf8')],
  );
}
