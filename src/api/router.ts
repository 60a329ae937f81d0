import { type AnyRouter, lazy, type Router } from '@orpc/server';
import type { contract } from '../contract/index.ts';
import type { Call } from './call/operation.ts';

/** Every operation with what does it. Each part is loaded when it is first asked for, with its part of the contract: a
 *  command waits for nothing that it does not use. */
export const router: Router<typeof contract, Call> = {
  apply: late(async () => (await import('./files/object-files.ts')).router.apply),
  read: late(async () => (await import('./files/object-files.ts')).router.read),
  export: late(async () => (await import('./files/object-files.ts')).router.export),
  me: late(async () => (await import('./access/me.ts')).router),
  workspaces: late(async () => (await import('./workspace/workspaces.ts')).router),
  members: late(async () => (await import('./access/members.ts')).router),
  tokens: late(async () => (await import('./access/tokens.ts')).router),
  settings: late(async () => (await import('./workspace/settings.ts')).router),
  auditLog: late(async () => (await import('./workspace/audit-log.ts')).router),
  environments: late(async () => (await import('./nouns/environments.ts')).router),
  prompts: late(async () => (await import('./nouns/prompts.ts')).router),
  skills: late(async () => (await import('./nouns/skills.ts')).router),
  mcpServers: late(async () => (await import('./nouns/mcp-servers.ts')).router),
  agents: late(async () => (await import('./nouns/agents.ts')).router),
  grants: late(async () => (await import('./grants/grants.ts')).router),
  testCases: late(async () => (await import('./nouns/test-cases.ts')).router),
  testSuites: late(async () => (await import('./nouns/test-suites.ts')).router),
  testRuns: late(async () => (await import('./runs/test-runs.ts')).router),
};

function late<Part extends AnyRouter>(load: () => Promise<Part>) {
  return lazy(async () => ({ default: await load() }));
}
