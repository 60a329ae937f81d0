import type { AgentDocument, AgentVersionDocument } from '../../core/documents/agent.ts';
import { canonicalJson } from '../../core/json.ts';
import { contentHash } from '../../engine/freezing/content-hash.ts';
import { resolveDefinition } from '../../engine/freezing/resolve-definition.ts';
import type { StoredVersion, VersionDefinition, WrittenVersion } from '../../store/agent-version.ts';
import type { Named, NamedTable } from '../../store/named.ts';
import type { Saving } from './saving.ts';
import type { Submitted } from './submitted.ts';

export interface ChangedVersions {
  created: WrittenVersion[];
  updated: WrittenVersion[];
  /** Every version that the agent has then. */
  all: Pick<StoredVersion, 'id' | 'name' | 'status'>[];
}

/** Words that stand for a choice of a version where a version may be named. */
const reservedNames = ['auto', 'configured', 'latest'];

/** Compares the versions of a document with the stored ones of the same names, and resolves what becomes active. */
export async function changedVersions(
  saving: Saving,
  submitted: Submitted<AgentDocument>,
  agent: Named,
  stored: readonly StoredVersion[],
): Promise<ChangedVersions> {
  const changed: ChangedVersions = { created: [], updated: [], all: [...stored] };
  const seen = new Set<string>();
  for (const [index, document] of submitted.document.versions.entries()) {
    const field = `versions[${index}]`;
    checkName(submitted, document.name, `${field}.name`, seen);
    const old = stored.find(({ name }) => name === document.name);
    if (old?.status === 'active') {
      await refuseChanges(saving, submitted, document, old, field);
      continue;
    }
    const id = old?.id ?? saving.random.id();
    changed.all = [
      ...changed.all.filter((each) => each.id !== id),
      { id, name: document.name, status: document.status },
    ];
    const definition = await namedDefinition(saving, submitted, document, field);
    if (submitted.refused) continue;
    const version = await written(saving, agent, id, document, definition);
    if (old === undefined) changed.created.push(version);
    else if (version.status === 'active' || canonicalJson(old.definition) !== canonicalJson(definition)) {
      changed.updated.push(version);
    }
  }
  return changed;
}

function checkName(submitted: Submitted<unknown>, name: string, field: string, seen: Set<string>): void {
  if (seen.has(name))
    submitted.problem(field, `is the name of another version above: "${name}"`, { value: name });
  if (reservedNames.includes(name)) {
    submitted.problem(field, `must not be one of ${reservedNames.join(', ')}, which mean other things`, {
      value: name,
    });
  }
  seen.add(name);
}

async function written(
  { transaction, workspaceId }: Saving,
  agent: Named,
  id: string,
  { name, status }: AgentVersionDocument,
  definition: VersionDefinition,
): Promise<WrittenVersion> {
  const version = { id, agentId: agent.id, name, status, definition };
  if (status === 'draft') return { ...version, frozen: null, contentHash: null };
  const frozen = await resolveDefinition(transaction, workspaceId, agent, { id, name }, definition);
  return { ...version, frozen, contentHash: contentHash(frozen) };
}

const referenceFields: ['prompts' | 'skills' | 'mcpServers', NamedTable][] = [
  ['prompts', 'prompt'],
  ['skills', 'skill'],
  ['mcpServers', 'mcp_server'],
];

/** The definition with names in place of ids. Names that stand for nothing, or stand there twice, are problems. */
async function namedDefinition(
  { references }: Saving,
  submitted: Submitted<unknown>,
  { name: _name, status: _status, ...definition }: AgentVersionDocument,
  field: string,
): Promise<VersionDefinition> {
  const named = { ...definition };
  for (const [list, table] of referenceFields) {
    const names: string[] = [];
    for (const [index, reference] of definition[list].entries()) {
      const place = `${field}.${list}[${index}]`;
      const found = await references.find(table, reference, submitted, place);
      if (found === null) continue;
      if (names.includes(found.name))
        submitted.problem(place, `"${found.name}" stands here twice`, { value: reference });
      names.push(found.name);
    }
    named[list] = names;
  }
  return named;
}

/** An active version stays what it is, so that its results keep their meaning. */
async function refuseChanges(
  { references }: Saving,
  submitted: Submitted<unknown>,
  document: AgentVersionDocument,
  old: StoredVersion,
  field: string,
): Promise<void> {
  if (document.status === 'draft') {
    submitted.problem(
      `${field}.status`,
      `must stay active: the version "${old.name}" is active, and an active version never becomes a draft again`,
      { value: 'draft', code: 'rule_violated' },
    );
  }
  const given: VersionDefinition = { ...document };
  for (const [list, table] of referenceFields) {
    await references.load(table, document[list]);
    given[list] = document[list].map((reference) => references.nameOf(table, reference));
  }
  const differing = Object.keys(old.definition).filter((key) => {
    const field = key as keyof VersionDefinition;
    return canonicalJson(given[field]) !== canonicalJson(old.definition[field]);
  });
  if (differing.length === 0) return;
  submitted.problem(
    `${field}.${differing[0]}`,
    `cannot change: the version "${old.name}" is active, and this differs in ${differing.join(', ')}. Leave it as it was, and add a version with a new name`,
    { code: 'rule_violated' },
  );
}
