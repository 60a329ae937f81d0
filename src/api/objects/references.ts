import { nounWords } from '../../core/noun-words.ts';
import { closestName } from '../../core/text/closest-name.ts';
import { shown } from '../../core/text/shown-text.ts';
import type { WorkspaceTransaction } from '../../store/database.ts';
import { findNamed, type Named, type NamedTable, someNames } from '../../store/named.ts';
import type { Submitted } from './submitted.ts';

const mostHints = 20;

/** Finds what names and ids stand for while objects are saved. */
export interface References {
  /** The object; null where there is none, which is said as a problem of the field. */
  find(
    table: NamedTable,
    reference: string,
    submitted: Submitted<unknown>,
    field: string,
  ): Promise<Named | null>;
  /** Looks many of them up at once, so that finding each is quick. */
  load(table: NamedTable, references: readonly string[]): Promise<void>;
  /** The name of what was looked up; what stands for nothing is given back as it is. */
  nameOf(table: NamedTable, reference: string): string;
  /** Notes that an object of this name was refused, so that nobody is told that it does not exist. */
  refused(table: NamedTable, name: string): void;
}

export function createReferences(transaction: WorkspaceTransaction, workspaceId: string): References {
  const found = new Map<string, Named>();
  const refusedNames = new Set<string>();
  const key = (table: NamedTable, reference: string) => `${table} ${reference}`;

  // a long list of wrong names is not worth a long search
  const names = new Map<NamedTable, Promise<string[]>>();
  let hints = 0;
  async function hint(table: NamedTable, reference: string): Promise<string> {
    hints += 1;
    if (hints > mostHints) return '';
    const known = names.get(table) ?? someNames(transaction, workspaceId, table);
    names.set(table, known);
    const closest = closestName(reference, await known);
    return closest === null ? '; there is none yet' : `; the closest is "${closest}"`;
  }

  async function load(table: NamedTable, references: readonly string[]): Promise<void> {
    const missing = references.filter((reference) => !found.has(key(table, reference)));
    if (missing.length === 0) return;
    for (const [reference, named] of await findNamed(transaction, workspaceId, table, missing)) {
      found.set(key(table, reference), named);
    }
  }

  return {
    load,
    nameOf: (table, reference) => found.get(key(table, reference))?.name ?? reference,
    refused: (table, name) => refusedNames.add(key(table, name)),
    async find(table, reference, submitted, field) {
      await load(table, [reference]);
      const named = found.get(key(table, reference)) ?? null;
      if (named === null && !refusedNames.has(key(table, reference))) {
        const problem = `there is no ${nounWords[table]} "${shown(reference, 100)}"${await hint(table, reference)}`;
        submitted.problem(field, problem, { value: reference });
      }
      return named;
    },
  };
}
