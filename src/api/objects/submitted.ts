import type { ErrorCode } from '../../core/errors.ts';

/** An object that somebody wants to save. */
export interface Submitted<Document> {
  document: Document;
  /** Name of the object that it replaces, if there is one of that name; null: it is to be a new one. */
  replaces: string | null;
  /** Says what is wrong, at a field such as `versions[0].prompts[1]`; then nothing is saved at all. */
  problem(field: string, message: string, more?: { value?: unknown; code?: ErrorCode }): void;
  /** Whether something is wrong with it. */
  readonly refused: boolean;
}
