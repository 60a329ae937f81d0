import { z } from 'zod';
import { skillDocument } from '../core/documents/skill.ts';
import { nounContract } from './noun.ts';

export const skillsContract = nounContract({
  noun: 'skill',
  document: skillDocument,
  item: { description: z.string() },
});
