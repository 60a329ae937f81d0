import { agentsContract } from './agents.ts';
import { applyContract } from './apply.ts';
import { testRunsContract } from './test-runs.ts';
import { testCasesContract, testSuitesContract } from './test-suites.ts';

/** Every operation of the product. HTTP, command line, MCP and the web app are made from it. */
export const contract = {
  ...applyContract,
  agents: agentsContract,
  testCases: testCasesContract,
  testSuites: testSuitesContract,
  testRuns: testRunsContract,
};
