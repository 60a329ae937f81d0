import { z } from 'zod';
import { checkKind, failed, passed } from '../check.ts';
import { nameSchema } from '../documents/name.ts';
import { reason } from '../reasons.ts';
import { skillProblem, skillsUsed } from './named-skill.ts';
import { quoted } from './named-tool.ts';

export const skillUsed = checkKind({
  title: 'Skill was used',
  schema: z.strictObject({ type: z.literal('skill_used'), skill: nameSchema }),
  source: 'trace',
  applies: 'Always. A skill that the version does not have was not used: the check fails.',
  sentence: ({ skill }) => `the skill ${quoted(skill)} is used`,
  names: ({ skill }) => ({ skills: [skill] }),
  judge(trace, { skill }) {
    const problem = skillProblem(trace.started.offered.skills, skill);
    if (problem !== null) return failed(skillsUsed(trace), problem);
    return trace.skillsLoaded.includes(skill)
      ? passed(skillsUsed(trace))
      : failed(skillsUsed(trace), reason('skill_not_used', { skill }));
  },
});
