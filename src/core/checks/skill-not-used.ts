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
    if (trace.skillsLoaded.includes(skill)) return failed(skillsUsed(trace), reason('skill_used', { skill }));
    const problem = skillProblem(trace.started.offered.skills, skill);
    // As for tools: a skill the version does not have cannot be used, and a misspelt name must not look like good conduct.
    return problem === null ? passed(skillsUsed(trace)) : skipped(skillsUsed(trace), problem);
  },
});
