import type { z } from 'zod';
import type { ObjectKind } from '../../contract/apply.ts';
import type { WorkspaceTransaction } from '../../store/database.ts';
import type { Named, NamedTable } from '../../store/named.ts';
import type { ApiContext } from '../call/context.ts';
import type { Offers } from './offers.ts';
import type { Saving } from './saving.ts';
import type { Submitted } from './submitted.ts';

export interface Saved extends Named {
  action: 'created' | 'updated' | 'unchanged';
  warnings: string[];
}

/** One kind of object that files describe: one file that holds how it is compared, saved and written, and one line in the
 *  registry. `Prepared` is what the slow work before the transaction found out. */
export interface ObjectKindOf<Document extends { name: string }, Stored extends Named, Prepared = undefined> {
  kind: ObjectKind;
  table: NamedTable;
  schema: z.ZodType<Document>;
  /** Fields whose entries are secrets. */
  secretFields: readonly string[];
  /** Work that takes long or reaches outside, before the transaction begins. */
  prepare?(context: ApiContext, submitted: readonly Submitted<Document>[]): Promise<Prepared>;
  /** The objects of these names, or all, by name. */
  read(transaction: WorkspaceTransaction, workspaceId: string, names?: readonly string[]): Promise<Stored[]>;
  /** Creates the object, or makes the stored one like it. Gives null where something is wrong with it. */
  save(
    saving: Saving,
    submitted: Submitted<Document>,
    stored: Stored | undefined,
    prepared: Prepared | undefined,
  ): Promise<Saved | null>;
  /** What is doubtful about the stored object as things are now. */
  warnings?(
    transaction: WorkspaceTransaction,
    workspaceId: string,
    stored: Stored,
    offers: Offers,
  ): Promise<string[]>;
  /** What still needs the object, as sentences; nothing: it may be archived. */
  uses?(transaction: WorkspaceTransaction, workspaceId: string, object: Named): Promise<string[]>;
  /** Takes the object out of what it is a part of, when it is archived. What is changed by that is noted. */
  detach?(
    transaction: WorkspaceTransaction,
    workspaceId: string,
    object: Named,
    note: Saving['note'],
  ): Promise<void>;
  /** Whether a file may describe the stored object; missing: always. */
  isFiled?(stored: Stored): boolean;
  /** The stored object as a file describes it, in the order of keys that a file has. */
  document(stored: Stored): Document;
}

/** Any kind, for those who treat all of them alike. */
export type AnyObjectKind = ObjectKindOf<{ name: string }, Named, unknown>;
