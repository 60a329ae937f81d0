import { z } from 'zod';
import { testCaseDocument, testSuiteDocument } from '../core/documents/test-case.ts';
import { operation } from './operation.ts';
import { page, pageInput } from './page.ts';

const suite = z.object({
  id: z.string(),
  name: z.string(),
  testCaseIds: z.array(z.string()),
  revision: z.int(),
});

export const testSuitesContract = {
  list: operation({
    method: 'GET',
    path: '/test-suites',
    summary: 'Test suites by name',
    role: 'viewer',
    mcp: { name: 'list-test-suites', readOnly: true, destructive: false },
  })
    .input(pageInput)
    .output(page(z.object({ id: z.string(), name: z.string(), testCases: z.int() }))),
  get: operation({ method: 'GET', path: '/test-suites/{id}', summary: 'One test suite', role: 'viewer' })
    .input(z.strictObject({ id: z.string().min(1) }))
    .output(suite),
  create: operation({
    method: 'POST',
    path: '/test-suites',
    summary: 'Create a test suite',
    role: 'editor',
    mcp: { name: 'create-test-suite', readOnly: false, destructive: false },
  })
    .input(testSuiteDocument)
    .output(suite),
  update: operation({
    method: 'PUT',
    path: '/test-suites/{id}',
    summary: 'Replace name and cases of a test suite',
    role: 'editor',
    mcp: { name: 'update-test-suite', readOnly: false, destructive: true },
  })
    .input(testSuiteDocument.extend({ id: z.string().min(1, 'is needed'), revision: z.int().optional() }))
    .output(suite),
};

const caseSummary = z.object({
  id: z.string(),
  name: z.string(),
  agent: z.string(),
  environment: z.string(),
  agentVersion: z.string(),
  revision: z.int(),
});
const savedCase = z.object({
  id: z.string(),
  name: z.string(),
  revision: z.int(),
  document: testCaseDocument,
  warnings: z.array(z.string()),
});

export const testCasesContract = {
  list: operation({ method: 'GET', path: '/test-cases', summary: 'Test cases by name', role: 'viewer' })
    .input(pageInput)
    .output(page(caseSummary)),
  get: operation({ method: 'GET', path: '/test-cases/{id}', summary: 'One test case', role: 'viewer' })
    .input(z.strictObject({ id: z.string().min(1) }))
    .output(savedCase),
  create: operation({
    method: 'POST',
    path: '/test-cases',
    summary: 'Create a test case',
    role: 'editor',
  })
    .input(testCaseDocument)
    .output(savedCase),
  update: operation({
    method: 'PUT',
    path: '/test-cases/{id}',
    summary: 'Replace a test case',
    role: 'editor',
  })
    .input(testCaseDocument.extend({ id: z.string().min(1, 'is needed'), revision: z.int().optional() }))
    .output(savedCase),
};
