import { type SkillDocument, skillDocument } from '../../core/documents/skill.ts';
import { insertSkill, readSkills, type StoredSkill, updateSkill } from '../../store/skill.ts';
import type { ObjectKindOf } from './object-kind.ts';
import { writeObject } from './write-object.ts';

export const skillKind: ObjectKindOf<SkillDocument, StoredSkill> = {
  kind: 'skill',
  table: 'skill',
  schema: skillDocument,
  secretFields: [],
  read: readSkills,
  document: ({ name, description, body }) => ({ name, description, body }),

  save(saving, { document }, stored) {
    const { transaction, workspaceId } = saving;
    const skill = { id: stored?.id ?? saving.random.id(), ...document };
    return writeObject(saving, 'skill', skill, {
      isNew: stored === undefined,
      isChanged: () => stored?.description !== skill.description || stored.body !== skill.body,
      insert: () => insertSkill(transaction, workspaceId, skill),
      update: () => updateSkill(transaction, workspaceId, skill),
    });
  },
};
