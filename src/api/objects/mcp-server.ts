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
import { draftsNaming, renameInVersions } from '../../store/named-in-versions.ts';
import { mayDefinePrograms } from '../call/caller.ts';
import { type Discovery, discover } from './discovery.ts';
import { checksLeftBehind } from './names-in-checks.ts';
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
  /** null: there was no need to ask. */
  discovery: Discovery | null;
  at: Date;
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
  uses: (transaction, workspaceId, { name }) => draftsNaming(transaction, workspaceId, 'mcpServers', name),

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
    const names = submitted.flatMap(({ replaces }) => replaces ?? []);
    const stored = await program.database.inSnapshot(workspace.id, (transaction) =>
      readWithTargets(transaction, workspace.id, names),
    );
    const byName = new Map(stored.map((server) => [server.name, server]));
    const prepared = await Promise.all(
      submitted.map(async (each): Promise<[typeof each, Prepared]> => {
        const known = each.replaces === null ? undefined : byName.get(each.replaces);
        refuseStdio(mayDefinePrograms(context), each, known);
        const planned = planTransport(each, known, program.secrets);
        const isKnown =
          known !== undefined &&
          known.tools !== null &&
          // another version of this program may offer others
          planned.transport.type !== 'builtin' &&
          canonicalJson(planned.transport) === canonicalJson(known.transport);
        // nothing is started and no secret is sent anywhere before it is clear that it may be
        const { name, profile, isolation } = each.document;
        const server = { name, profile, isolation, transport: planned.transport };
        const discovery =
          each.refused || isKnown ? null : await discover(program.tools, workspace.id, server);
        return [each, { seen: comparable(known), planned, discovery, at: program.clock.now() }];
      }),
    );
    return new Map(prepared);
  },

  async save(saving, submitted, stored, prepared) {
    const { transaction, workspaceId } = saving;
    const { name, profile, isolation } = submitted.document;
    // it may have been another server, or nobody had prepared it
    if (!submitted.refused) refuseStdio(saving.mayDefinePrograms, submitted, stored);
    const before = prepared?.get(submitted);
    const ready = before?.seen === comparable(stored) ? before : undefined;
    const { transport, templates } = ready?.planned ?? planTransport(submitted, stored, saving.secrets);
    const id = stored?.id ?? saving.random.id();
    const oldName = stored?.name ?? name;
    const targets = await changedTargets(saving, submitted, id, stored?.targets ?? []);
    if (submitted.refused) return null;

    const isSameTransport = canonicalJson(transport) === canonicalJson(stored?.transport ?? null);
    const kept = isSameTransport && stored !== undefined ? stored : { tools: null, toolsAt: null };
    const { tools, toolsAt } = ready?.discovery ? found(ready.discovery, ready.at) : kept;
    const server = { id, name, transport, secretTemplates: templates, profile, isolation, tools, toolsAt };
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
        await renameInVersions(transaction, workspaceId, 'mcpServers', oldName, name);
        await writeTargets();
      },
      warnings: [
        ...(ready?.discovery ? warningsOf(ready.discovery) : []),
        ...(await checksLeftBehind(transaction, workspaceId, 'MCP server', oldName, name)),
      ],
    });
  },
};

function found(discovery: Discovery, at: Date): Pick<StoredServer, 'tools' | 'toolsAt'> {
  return 'tools' in discovery ? { tools: discovery.tools, toolsAt: at } : { tools: null, toolsAt: null };
}

/** One that does not answer is no obstacle to saving it. */
function warningsOf(discovery: Discovery): string[] {
  if ('tools' in discovery) return [];
  return [
    `${discovery.problem}. Its tools are not known until it is asked again, by a refresh or the next apply.`,
  ];
}

/** A stdio server runs a program on the machine of the workers. What an admin defined as one, nobody else changes. */
function refuseStdio(
  isAllowed: boolean,
  { document, problem }: Submitted<McpServerDocument>,
  stored: StoredServer | undefined,
): void {
  if (isAllowed) return;
  const value = document.transport.type;
  if (value === 'stdio') {
    problem('transport.type', 'may be stdio only where an admin defines it: such a server runs a program', {
      value,
      code: 'forbidden',
    });
  } else if (stored?.transport.type === 'stdio') {
    const message = `cannot become ${value}: "${stored.name}" is a stdio server, which only an admin may change`;
    problem('transport.type', message, { value, code: 'forbidden' });
  }
}

function comparable(server: StoredServer | undefined): string {
  if (server === undefined) return '';
  const { name, transport, secretTemplates, profile, isolation, tools } = server;
  const known = transport.type === 'builtin' ? tools : { areKnown: tools !== null };
  return canonicalJson({ name, transport, secretTemplates, profile, isolation, tools: known });
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
