import { type PromptDocument, promptDocument } from '../../core/documents/prompt.ts';
import { canonicalJson } from '../../core/json.ts';
import { draftsNaming, renameInVersions } from '../../store/named-in-versions.ts';
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
  uses: (transaction, workspaceId, { name }) => draftsNaming(transaction, workspaceId, 'prompts', name),

  save(saving, { document }, stored) {
    const { transaction, workspaceId } = saving;
    const prompt = { id: stored?.id ?? saving.random.id(), ...document };
    return writeObject(saving, 'prompt', prompt, {
      isNew: stored === undefined,
      isChanged: () => canonicalJson({ ...stored }) !== canonicalJson(prompt),
      insert: () => insertPrompt(transaction, workspaceId, prompt),
      update: async () => {
        await updatePrompt(transaction, workspaceId, prompt);
        await renameInVersions(transaction, workspaceId, 'prompts', stored?.name ?? prompt.name, prompt.name);
      },
    });
  },
};
