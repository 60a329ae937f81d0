import { z } from 'zod';
import { testSuiteDocument } from '../core/documents/test-case.ts';
import { nounContract } from './noun.ts';

export const testSuitesContract = nounContract({
  noun: 'test-suite',
  plural: 'test-suites',
  document: testSuiteDocument,
  item: { testCases: z.int() },
  more: { testCaseIds: z.array(z.string()) },
});
