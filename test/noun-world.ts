import { createRouterClient } from '@orpc/server';
import type { PgBoss } from 'pg-boss';
import { type Caller, localCaller } from '../src/api/call/caller.ts';
import type { OperationContext } from '../src/api/call/operation.ts';
import { apply } from '../src/api/files/apply.ts';
import { exportObjects } from '../src/api/files/export.ts';
import { router } from '../src/api/router.ts';
import { envelopeOf } from '../src/contract/client.ts';
import { AssayError, ExecutionFailure } from '../src/core/errors.ts';
import type { FrozenServer } from '../src/core/frozen.ts';
import type { Tools } from '../src/core/ports.ts';
import type { Role } from '../src/core/role.ts';
import { systemClock, systemRandom } from '../src/net/system-ports.ts';
import type { DatabaseAccess } from '../src/store/connection.ts';
import { type Database, openDatabase } from '../src/store/database.ts';
import { openQueue } from '../src/store/queue.ts';
import { listWorkspaces, type Workspace } from '../src/store/workspace.ts';
import { testAccounts } from './accounts.ts';
import { testDatabase } from './database.ts';
import { type LenientClient, withPresentRevision } from './present-revision.ts';
import { secrets } from './tool-bench.ts';

/** The objects of a database of the test file's own, as operations see them. */
export interface NounWorld {
  access: DatabaseAccess;
  database: Database;
  queue: PgBoss;
  /** Servers that were asked for their tools, in order. None answers: tests of that use real tools. */
  asked: FrozenServer[];
  context(options?: { workspace?: 'main' | 'assay'; role?: Role; tools?: Tools }): OperationContext;
  /** The operations, as the surfaces call them. The caller has the `role` in every workspace, or in `only` this one,
   *  which is the current one then. */
  client(options?: ClientOptions): LenientClient;
  /** Applies one file named f.yaml. */
  apply(text: string, variables?: Record<string, string>): ReturnType<typeof apply>;
  /** The actions of `apply` in the order of the file. */
  actions(text: string, variables?: Record<string, string>): Promise<string[]>;
  export(): Promise<string>;
  /** Every row of every table that objects are stored in, to see that nothing has changed. */
  everything(): Promise<unknown>;
  close(): Promise<void>;
}

interface ClientOptions {
  workspace?: string;
  only?: 'main' | 'assay';
  role?: Role;
  tools?: Tools;
}

export async function nounWorld(): Promise<NounWorld> {
  const { access, drop } = await testDatabase();
  const database = openDatabase(access, { onIdleError: () => {} });
  const queue = openQueue(access, { supervise: false });
  await queue.start();
  const workspaces = await listWorkspaces(database.system);
  const asked: FrozenServer[] = [];

  const context: NounWorld['context'] = ({
    workspace = 'main',
    role = 'admin',
    tools = unreachable(),
  } = {}) => ({
    principal: localCaller.principal,
    workspace: workspaces.find(({ name }) => name === workspace) as Workspace,
    program: {
      database,
      queue: async () => queue,
      accounts: testAccounts(database),
      tools,
      secrets,
      clock: systemClock,
      random: systemRandom,
    },
    caller: { ...localCaller, roleIn: () => role },
    role: 'viewer',
    visible: workspaces,
  });

  const client: NounWorld['client'] = ({ only, workspace = only ?? 'main', role = 'admin', tools } = {}) => {
    const { program, visible } = context(tools === undefined ? {} : { tools });
    const hidden = new Set(visible.filter(({ name }) => name !== (only ?? name)).map(({ id }) => id));
    const caller: Caller = { ...localCaller, roleIn: (id) => (hidden.has(id) ? null : role) };
    const call = { caller, workspaceRef: workspace, program };
    return withPresentRevision(createRouterClient(router, { context: call }));
  };

  function unreachable(): Tools {
    const unused = () => Promise.reject(new Error('nothing runs here'));
    return {
      open: unused,
      closeRun: unused,
      close: async () => {},
      discover: async (server) => {
        asked.push(server);
        throw new ExecutionFailure(
          'tool',
          'server_unreachable',
          `MCP server "${server.name}" cannot be reached.`,
        );
      },
    };
  }

  const applyText = (text: string, variables = {}) =>
    apply(context(), { files: [{ path: 'f.yaml', text }], variables });

  return {
    access,
    database,
    queue,
    asked,
    context,
    client,
    apply: applyText,
    actions: async (text, variables) =>
      (await applyText(text, variables)).objects.map(({ action }) => action),
    export: async () => (await exportObjects(context(), {})).text,
    everything: async () => {
      const tables = [
        'workspace',
        'environment',
        'prompt',
        'skill',
        'mcp_server',
        'mcp_target',
        'agent',
        'agent_grant',
        'agent_version',
        'deployment',
        'test_case',
        'test_suite',
        'test_suite_case',
        'audit_entry',
        'test_run',
        'test_result',
        'frozen_subject',
        'idempotency_key',
      ] as const;
      return Promise.all(tables.map((table) => database.system.selectFrom(table).selectAll().execute()));
    },
    close: async () => {
      await queue.stop({ graceful: false });
      await database.close();
      await drop();
    },
  };
}

/** The refusal that `work` ends with, of an operation or of what is beneath it. */
export async function refusalOf(work: Promise<unknown>): Promise<AssayError> {
  const error = await work.then(
    () => new Error('it was accepted'),
    (thrown: unknown) => thrown,
  );
  if (error instanceof AssayError) return error;
  const envelope = envelopeOf(error);
  if (envelope === null || envelope.code === 'internal') throw error;
  return new AssayError(envelope.code, envelope.message, envelope.details);
}
