import { z } from 'zod';
import { testCaseDocument } from '../core/documents/test-case.ts';
import { nounContract } from './noun.ts';

export const testCasesContract = nounContract({
  noun: 'test_case',
  document: testCaseDocument,
  item: { agent: z.string(), environment: z.string(), agentVersion: z.string() },
  /** By name or id. */
  filters: {
    agent: z.string().min(1).optional(),
    environment: z.string().min(1).optional(),
    testSuite: z.string().min(1).optional(),
  },
});
