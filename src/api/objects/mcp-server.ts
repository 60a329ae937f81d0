import type { Role } from '../../contract/operation.ts';
import { type McpServerDocument, mcpServerDocument } from '../../core/documents/mcp-server.ts';
import type { SealedTransport } from '../../core/frozen.ts';
import { canonicalJson } from '../../core/json.ts';
import type { WorkspaceTransaction } from '../../store/database.ts';
import { listEnvironments } from '../../store/environment.ts';
import {
  insertServer,
  readServers,
  readTargets,
  type StoredServer,
  type StoredTarget,
  updateServer,
  writeTarget,
} from '../../store/mcp-server.ts';
import { roleHere } from '../caller.ts';
import { type Discovery, discover } from './discovery.ts';
import type { ObjectKindOf } from './object-kind.ts';
import type { Submitted } from './submitted.ts';
import { changedTargets } from './targets.ts';
import { type PlannedTransport, planTransport } from './transport.ts';
import { writeObject } from './write-object.ts';

interface ServerOfFiles extends StoredServer {
  targets: (StoredTarget & { environment: string })[];
}

/** What was found out before the transaction, about a server that was stored like this then. */
interface Prepared {
  seen: string;
  planned: PlannedTransport;
  discovery: Discovery | null;
}

export const mcpServerKind: ObjectKindOf<
  McpServerDocument,
  ServerOfFiles,
  Map<Submitted<McpServerDocument>, Prepared>
> = {
  kind: 'mcp-server',
  table: 'mcp_server',
  schema: mcpServerDocument,
  secretFields: ['transport.env', 'transport.headers'],
  read: readWithTargets,

  document({ name, transport, secretTemplates, profile, isolation, targets }) {
    const shown = targets
      .filter(({ mode, endpoint }) => mode !== 'real' || endpoint !== null)
      .sort((left, right) => (left.environment < right.environment ? -1 : 1))
      .map(({ environment, mode, endpoint }) => [
        environment,
        { mode, ...(endpoint === null ? {} : { endpoint }) },
      ]);
    return {
      name,
      transport: writtenTransport(transport, secretTemplates),
      profile,
      isolation,
      targets: Object.fromEntries(shown),
    };
  },

  async prepare(context, submitted) {
    const { program, workspace } = context;
    const names = submitted.map(({ document }) => document.name);
    const stored = await program.database.inWorkspace(workspace.id, (transaction) =>
      readWithTargets(transaction, workspace.id, names),
    );
    const byName = new Map(stored.map((server) => [server.name, server]));
    const prepared = await Promise.all(
      submitted.map(async (each): Promise<[typeof each, Prepared]> => {
        const known = byName.get(each.document.name);
        refuseStdioUnlessAdmin(roleHere(context), each);
        const planned = planTransport(each, known, program.secrets);
        const isKnown =
          known !== undefined &&
          known.tools !== null &&
          // another version of this program may offer others
          planned.transport.type !== 'builtin' &&
          canonicalJson(planned.transport) === canonicalJson(known.transport);
        // nothing is started and no secret is sent anywhere before it is clear that it may be
        const discovery =
          each.refused || isKnown ? null : await discover(program.tools, each.document, planned.transport);
        return [each, { seen: comparable(known), planned, discovery }];
      }),
    );
    return new Map(prepared);
  },

  async save(saving, submitted, stored, prepared) {
    const { transaction, workspaceId } = saving;
    const { name, profile, isolation } = submitted.document;
    // of the operations that save a server, only `apply` prepares it
    if (!submitted.refused) refuseStdioUnlessAdmin(saving.role, submitted);
    const before = prepared?.get(submitted);
    const ready = before?.seen === comparable(stored) ? before : undefined;
    const { transport, templates } = ready?.planned ?? planTransport(submitted, stored, saving.secrets);
    const id = stored?.id ?? saving.random.id();
    const targets = await changedTargets(saving, submitted, id, stored?.targets ?? []);
    if (submitted.refused) return null;

    const isSameTransport = canonicalJson(transport) === canonicalJson(stored?.transport ?? null);
    const keptTools = isSameTransport ? (stored?.tools ?? null) : null;
    const tools = ready?.discovery ? ready.discovery.tools : keptTools;
    const server = { id, name, transport, secretTemplates: templates, profile, isolation, tools };
    const writeTargets = async () => {
      for (const target of targets) await writeTarget(transaction, workspaceId, target);
    };
    return writeObject(saving, 'mcp-server', server, {
      isNew: stored === undefined,
      isChanged: () => targets.length > 0 || comparable(stored) !== comparable(server),
      insert: async () => {
        await insertServer(transaction, workspaceId, server);
        await writeTargets();
      },
      update: async () => {
        await updateServer(transaction, workspaceId, server);
        await writeTargets();
      },
      warnings: ready?.discovery?.warning ? [ready.discovery.warning] : [],
    });
  },
};

/** A stdio server runs a program on the machine of the workers. */
function refuseStdioUnlessAdmin(role: Role, { document, problem }: Submitted<McpServerDocument>): void {
  if (document.transport.type !== 'stdio' || role === 'admin') return;
  problem('transport.type', 'may be stdio only where an admin defines it: such a server runs a program', {
    value: 'stdio',
    code: 'forbidden',
  });
}

function comparable(server: StoredServer | undefined): string {
  if (server === undefined) return '';
  const { transport, secretTemplates, profile, isolation, tools } = server;
  const known = transport.type === 'builtin' ? tools : { areKnown: tools !== null };
  return canonicalJson({ transport, secretTemplates, profile, isolation, tools: known });
}

/** The transport as a file writes it. */
function writtenTransport(
  transport: SealedTransport,
  templates: Record<string, string>,
): McpServerDocument['transport'] {
  const written = (group: 'env' | 'headers', secrets: object) =>
    Object.fromEntries(
      Object.keys(secrets).map((key) => [key, { template: templates[`${group}.${key}`] ?? '' }]),
    );
  if (transport.type === 'stdio') return { ...transport, env: written('env', transport.env) };
  if (transport.type === 'http') return { ...transport, headers: written('headers', transport.headers) };
  return transport;
}

async function readWithTargets(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  names?: readonly string[],
): Promise<ServerOfFiles[]> {
  const servers = await readServers(transaction, workspaceId, names);
  const ids = servers.map(({ id }) => id);
  const environments = await listEnvironments(transaction, workspaceId);
  const nameOf = new Map(environments.map(({ id, name }) => [id, name]));
  const targets = Map.groupBy(await readTargets(transaction, workspaceId, ids), ({ serverId }) => serverId);
  return servers.map((server) => {
    const own = (targets.get(server.id) ?? []).flatMap((target) => {
      const environment = nameOf.get(target.environmentId);
      return environment === undefined ? [] : [{ ...target, environment }];
    });
    return { ...server, targets: own };
  });
}
