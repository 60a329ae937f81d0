import { z } from 'zod';
import { testSuiteDocument } from '../core/documents/test-case.ts';
import { nounContract } from './noun.ts';

export const testSuitesContract = nounContract({
  noun: 'test_suite',
  document: testSuiteDocument,
  item: { testCases: z.int() },
  more: { testCaseIds: z.array(z.string()) },
});
