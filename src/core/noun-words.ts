/** How sentences call one object of each table whose objects have names. */
export const nounWords = {
  workspace: 'workspace',
  environment: 'environment',
  prompt: 'prompt',
  skill: 'skill',
  mcp_server: 'MCP server',
  agent: 'agent',
  test_case: 'test case',
  test_suite: 'test suite',
} as const;

export type NounTable = keyof typeof nounWords;
