import { promptDocument } from '../core/documents/prompt.ts';
import { nounContract } from './noun.ts';

export const promptsContract = nounContract({
  noun: 'prompt',
  document: promptDocument,
  item: {},
});
