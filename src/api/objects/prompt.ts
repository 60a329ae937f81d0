import { type PromptDocument, promptDocument } from '../../core/documents/prompt.ts';
import { insertPrompt, readPrompts, type StoredPrompt, updatePrompt } from '../../store/prompt.ts';
import type { ObjectKindOf } from './object-kind.ts';
import { writeObject } from './write-object.ts';

export const promptKind: ObjectKindOf<PromptDocument, StoredPrompt> = {
  kind: 'prompt',
  table: 'prompt',
  schema: promptDocument,
  secretFields: [],
  read: readPrompts,
  document: ({ name, body }) => ({ name, body }),

  save(saving, { document }, stored) {
    const { transaction, workspaceId } = saving;
    const prompt = { id: stored?.id ?? saving.random.id(), ...document };
    return writeObject(saving, 'prompt', prompt, {
      isNew: stored === undefined,
      isChanged: () => stored?.body !== prompt.body,
      insert: () => insertPrompt(transaction, workspaceId, prompt),
      update: () => updatePrompt(transaction, workspaceId, prompt),
    });
  },
};
