import type { ColumnType, Generated, JSONColumnType } from 'kysely';
import type { EvaluatedCheck } from '../core/check.ts';
import type { AgentVersionDocument } from '../core/documents/agent.ts';
import type { McpIsolation, McpProfile, TargetMode } from '../core/documents/mcp-server.ts';
import type { TestCaseDefinition } from '../core/documents/test-case.ts';
import type { FrozenAgent, FrozenWork, SealedTransport } from '../core/frozen.ts';
import type { JsonObject } from '../core/json.ts';
import type { DiscoveredTool } from '../core/ports.ts';
import type { Principal } from '../core/principal.ts';
import type { ProviderSettings } from '../core/provider-settings.ts';
import type { Role } from '../core/role.ts';
import type { TraceEvent } from '../core/trace.ts';

/** Read as the object, written as JSON text. */
type JsonOf<T> = ColumnType<T, string, string>;
type Timestamp = ColumnType<Date, Date | string | undefined, Date | string>;
type OptionalTimestamp = ColumnType<Date | null, Date | string | null | undefined, Date | string | null>;

interface Row {
  workspace_id: string;
  id: string;
}
interface Named extends Row {
  name: string;
  revision: Generated<number>;
  created_at: Timestamp;
  archived_at: OptionalTimestamp;
}
interface Editable extends Named {
  updated_at: Timestamp;
}

export interface Schema {
  workspace: Omit<Editable, 'workspace_id'> & { time_zone: Generated<string> };
  environment: Editable & { live: boolean };
  prompt: Editable & { body: string };
  skill: Editable & { description: string; body: string };
  mcp_server: Editable & {
    transport: JsonOf<SealedTransport>;
    secret_templates: JsonOf<Record<string, string>>;
    profile: McpProfile;
    isolation: McpIsolation;
    tools: JSONColumnType<DiscoveredTool[] | null, string | null, string | null>;
    tools_at: OptionalTimestamp;
  };
  mcp_target: {
    workspace_id: string;
    server_id: string;
    environment_id: string;
    mode: TargetMode;
    endpoint: string | null;
  };
  agent: Editable & {
    provider_workspace_id: string | null;
    provider_agent_id: string | null;
    /** Of the workspace that provided the agent until the grant ended; null while it stands. */
    provider_last_name: string | null;
  };
  agent_grant: Row & {
    agent_id: string;
    consumer_id: string;
    uses_secrets: boolean;
    created_at: Timestamp;
    revoked_at: OptionalTimestamp;
  };
  agent_version: Row & {
    agent_id: string;
    name: string;
    status: 'draft' | 'active';
    definition: JsonOf<Omit<AgentVersionDocument, 'name' | 'status'>>;
    frozen: JSONColumnType<FrozenAgent | null, string | null, string | null>;
    content_hash: string | null;
    created_at: Timestamp;
    activated_at: OptionalTimestamp;
  };
  deployment: { workspace_id: string; agent_id: string; environment_id: string; version_id: string };
  test_case: Editable & {
    subject_kind: 'agent' | 'workflow';
    agent_id: string | null;
    environment_id: string | null;
    pinned_version_id: string | null;
    definition: JsonOf<TestCaseDefinition>;
  };
  test_suite: Editable;
  test_suite_case: { workspace_id: string; suite_id: string; position: number; case_id: string };
  frozen_subject: {
    workspace_id: string;
    content_hash: string;
    body: JsonOf<FrozenAgent>;
    created_at: Timestamp;
  };
  test_run: Row & {
    suite_id: string;
    suite_name: string;
    token: string;
    status: Generated<'queued' | 'running' | 'judging' | 'finished' | 'cancelled'>;
    outcome: CaseOutcomeColumn | null;
    parallel: number;
    version_target: JsonOf<{ target: 'configured' | 'latest' | 'specific'; agentVersionId: string | null }>;
    total: number;
    remaining: number;
    started_by: string;
    created_at: Timestamp;
    started_at: OptionalTimestamp;
    finished_at: OptionalTimestamp;
    starter: JSONColumnType<Principal | null, string | null | undefined, string | null>;
    starter_role: Role | null;
    depth: Generated<number>;
    parent_run_id: string | null;
    parent_result_id: string | null;
    parent_attempt: number | null;
  };
  test_result: Row & {
    run_id: string;
    seq: number;
    case_id: string;
    case_name: string;
    frozen_work: JsonOf<FrozenWork>;
    status: Generated<'queued' | 'running' | 'done'>;
    attempt: Generated<number>;
    worker: string | null;
    outcome: CaseOutcomeColumn | null;
    reason: Generated<string>;
    started_at: OptionalTimestamp;
    finished_at: OptionalTimestamp;
    duration_ms: number | null;
    /** A running count: how many results the run had when this one was recorded. 0: not yet. */
    recorded: Generated<number>;
  };
  execution: Row & {
    result_id: string;
    attempt: number;
    ordinal: number;
    kind: 'conversation' | 'workflow';
    run_text: string;
    content_hash: string | null;
    agent_version_id: string | null;
    agent_version: string | null;
    model: string | null;
    status: 'running' | 'completed' | 'failed' | 'aborted';
    end_reason: string | null;
    input_tokens: Generated<number>;
    output_tokens: Generated<number>;
    cost_usd: number | null;
    started_at: Timestamp;
    finished_at: OptionalTimestamp;
    duration_ms: number | null;
    evaluation_id: string | null;
  };
  trace_batch: {
    workspace_id: string;
    execution_id: string;
    first_seq: number;
    events: JsonOf<TraceEvent[]>;
  };
  payload: {
    workspace_id: string;
    ref: string;
    bytes: number;
    cut: boolean;
    body: Buffer;
    created_at: Timestamp;
  };
  evaluation: Row & {
    execution_id: string;
    cause: 'run' | 'enrichment' | 'rescore' | 'human';
    outcome: CaseOutcomeColumn;
    reason: string;
    reason_code: string;
    reason_params: JsonOf<JsonObject>;
    checks: JsonOf<EvaluatedCheck[]>;
    evaluator: JSONColumnType<{ outcome: string; reason: string } | null, string | null, string | null>;
    created_at: Timestamp;
  };
  idempotency_key: {
    workspace_id: string;
    principal: string;
    operation: string;
    key: string;
    body_hash: string;
    object_id: string;
    created_at: Timestamp;
  };
  audit_entry: Row & {
    at: Timestamp;
    principal: string;
    action: string;
    object_kind: string;
    object_id: string | null;
    object_name: string | null;
    detail: JSONColumnType<JsonObject | null, string | null, string | null>;
  };
  lane: { workspace_id: string; run_id: string; slot: number; worker_id: string };
  workspace_setting: {
    workspace_id: string;
    judge_model: string | null;
    simulator_model: string | null;
    providers: JsonOf<Record<string, ProviderSettings>>;
    revision: number;
    updated_at: Timestamp;
  };
  shipped_objects: { name: string; content_hash: string; applied_at: Timestamp };
  auth_user: { id: string; name: string; email: string; created_at: Timestamp; updated_at: Timestamp };
  auth_account: {
    id: string;
    user_id: string;
    account_id: string;
    provider_id: string;
    password: string | null;
    created_at: Timestamp;
    updated_at: Timestamp;
  };
  api_key: { id: string; last_request: OptionalTimestamp };
  one_time_link: {
    token_hash: string;
    user_id: string | null;
    issued_by: string | null;
    expires_at: OptionalTimestamp;
    created_at: Timestamp;
  };
  member: { workspace_id: string; user_id: string; role: Role; created_at: Timestamp };
  api_token: Row & {
    key_id: string;
    owner_id: string;
    parent_id: string | null;
    name: string;
    role: Role;
    start: string;
    expires_at: OptionalTimestamp;
    created_at: Timestamp;
  };
  worker: { id: string; lock_key: number; lanes: number; started_at: Timestamp; lease_until: Timestamp };
}

type CaseOutcomeColumn = 'passed' | 'failed' | 'unknown' | 'error' | 'pending' | 'cancelled';
