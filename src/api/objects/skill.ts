import { type SkillDocument, skillDocument } from '../../core/documents/skill.ts';
import { canonicalJson } from '../../core/json.ts';
import { draftsNaming, renameInVersions } from '../../store/named-in-versions.ts';
import { insertSkill, readSkills, type StoredSkill, updateSkill } from '../../store/skill.ts';
import { checksLeftBehind } from './names-in-checks.ts';
import type { ObjectKindOf } from './object-kind.ts';
import { writeObject } from './write-object.ts';

export const skillKind: ObjectKindOf<SkillDocument, StoredSkill> = {
  kind: 'skill',
  table: 'skill',
  schema: skillDocument,
  secretFields: [],
  read: readSkills,
  document: ({ name, description, body }) => ({ name, description, body }),
  uses: (transaction, workspaceId, { name }) => draftsNaming(transaction, workspaceId, 'skills', name),

  async save(saving, { document }, stored) {
    const { transaction, workspaceId } = saving;
    const skill = { id: stored?.id ?? saving.random.id(), ...document };
    const before = stored?.name ?? skill.name;
    return writeObject(saving, 'skill', skill, {
      isNew: stored === undefined,
      isChanged: () => canonicalJson({ ...stored }) !== canonicalJson(skill),
      insert: () => insertSkill(transaction, workspaceId, skill),
      update: async () => {
        await updateSkill(transaction, workspaceId, skill);
        await renameInVersions(transaction, workspaceId, 'skills', before, skill.name);
      },
      warnings: await checksLeftBehind(transaction, workspaceId, 'skill', before, skill.name),
    });
  },
};
