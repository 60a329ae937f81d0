import { agentsContract } from './agents.ts';
import { applyContract } from './apply.ts';
import { auditContract } from './audit.ts';
import { environmentsContract } from './environments.ts';
import { grantsContract } from './grants.ts';
import { mcpServersContract } from './mcp-servers.ts';
import { membersContract } from './members.ts';
import { promptsContract } from './prompts.ts';
import { settingsContract } from './settings.ts';
import { skillsContract } from './skills.ts';
import { testCasesContract } from './test-cases.ts';
import { testRunsContract } from './test-runs.ts';
import { testSuitesContract } from './test-suites.ts';
import { tokensContract } from './tokens.ts';
import { meContract, workspacesContract } from './workspaces.ts';

/** Every operation of the product. HTTP, command line, MCP and the web app are made from it. */
export const contract = {
  ...applyContract,
  me: meContract,
  workspaces: workspacesContract,
  members: membersContract,
  tokens: tokensContract,
  settings: settingsContract,
  auditLog: auditContract,
  environments: environmentsContract,
  prompts: promptsContract,
  skills: skillsContract,
  mcpServers: mcpServersContract,
  agents: agentsContract,
  grants: grantsContract,
  testCases: testCasesContract,
  testSuites: testSuitesContract,
  testRuns: testRunsContract,
};
