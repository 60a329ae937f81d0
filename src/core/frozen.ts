import type { AgentLimits } from './documents/agent.ts';
import type { McpIsolation, McpProfile, TargetMode } from './documents/mcp-server.ts';
import type { TestCaseDefinition } from './documents/test-case.ts';
import type { JsonObject } from './json.ts';
import type { SealedSecret } from './sealed-secret.ts';

/** A transport as it is stored and frozen: secret values are sealed. */
export type SealedTransport =
  | { type: 'stdio'; command: string; args: string[]; env: Record<string, SealedSecret> }
  | { type: 'http'; url: string; headers: Record<string, SealedSecret> }
  | { type: 'builtin' };

/** One MCP server as a run sees it, with its target in the case's environment. */
export interface FrozenServer {
  id: string;
  name: string;
  transport: SealedTransport;
  profile: McpProfile;
  isolation: McpIsolation;
  target: { mode: TargetMode; endpoint: string | null };
  /** The server of another workspace that this one stands for; its secrets are kept there. */
  lender?: { workspaceId: string; serverId: string };
}

/** Everything that answers in a run: resolved, so that later edits change nothing. */
export interface FrozenAgent {
  kind: 'native';
  agent: { id: string; name: string };
  version: { id: string; name: string };
  model: string;
  instructions: string;
  prompts: { name: string; body: string }[];
  skills: { name: string; description: string; body: string }[];
  mcpServers: FrozenServer[];
  limits: AgentLimits;
  /** The agent of another workspace that this one stands for, as the grant was when it was frozen. */
  provider?: { workspaceId: string; workspace: string; agentId: string; usesSecrets: boolean };
}

/** A case as it stood when the run started; texts still hold the literal `{{run}}`. */
export interface FrozenCase {
  id: string;
  name: string;
  environment: { id: string; name: string; live: boolean };
  definition: TestCaseDefinition;
}

/** Why no version can answer a case, which is an `error` then. */
export interface Unresolved {
  unresolved: { code: string; message: string; params: JsonObject };
}

/** What a lane executes: either the hash of the frozen subject, or why there is none. */
export interface FrozenWork {
  case: FrozenCase;
  subject: { contentHash: string } | Unresolved;
}
