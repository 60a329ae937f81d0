import { z } from 'zod';
import { environmentDocument } from '../core/documents/environment.ts';
import { nounContract } from './noun.ts';

export const environmentsContract = nounContract({
  noun: 'environment',
  document: environmentDocument,
  item: { live: z.boolean() },
  writer: 'admin',
});
