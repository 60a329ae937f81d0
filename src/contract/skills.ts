import { z } from 'zod';
import { skillDocument } from '../core/documents/skill.ts';
import { nounContract } from './noun.ts';

export const skillsContract = nounContract({
  noun: 'skill',
  plural: 'skills',
  document: skillDocument,
  item: { description: z.string() },
});
