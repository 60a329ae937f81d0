import { z } from 'zod';
import { checkKind, failed, passed, skipped } from '../check.ts';
import { nameSchema } from '../documents/name.ts';
import { reason } from '../reasons.ts';
import { skillProblem, skillsUsed } from './named-skill.ts';
import { quoted } from './named-tool.ts';

export const skillNotUsed = checkKind({
  title: 'Skill was not used',
  schema: z.strictObject({ type: z.literal('skill_not_used'), skill: nameSchema }),
  source: 'trace',
  applies: 'Where the version that answered has the skill; else it is skipped.',
  sentence: ({ skill }) => `the skill ${quoted(skill)} is not used`,
  names: ({ skill }) => ({ skills: [skill] }),
  judge(trace, { skill }) {
    const problem = skillProblem(trace.started.offered.skills, skill);
    // As for tools: a skill the version does not have cannot be used, and a misspelt name must not look like good conduct.
    if (problem !== null) return skipped(skillsUsed(trace), problem);
    return trace.skillsLoaded.includes(skill)
      ? failed(skillsUsed(trace), reason('skill_used', { skill }))
      : passed(skillsUsed(trace));
  },
});
