import { AssayError } from '../../core/errors.ts';
import type { FrozenAgent, FrozenServer } from '../../core/frozen.ts';
import type { VersionDefinition } from '../../store/agent-version.ts';
import type { WorkspaceTransaction } from '../../store/database.ts';
import { readServers, type StoredServer } from '../../store/mcp-server.ts';
import { readPrompts } from '../../store/prompt.ts';
import { readSkills } from '../../store/skill.ts';

/** What a version's names stand for now, with every target left at `real`. Throws `rule_violated` where a name stands
 *  for nothing any more. */
export async function resolveDefinition(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  agent: FrozenAgent['agent'],
  version: FrozenAgent['version'],
  definition: VersionDefinition,
): Promise<FrozenAgent> {
  const prompts = await readPrompts(transaction, workspaceId, definition.prompts);
  const skills = await readSkills(transaction, workspaceId, definition.skills);
  const servers = await readServers(transaction, workspaceId, definition.mcpServers);
  const inOrder = <Stored extends { name: string }>(
    field: 'prompts' | 'skills' | 'mcpServers',
    noun: string,
    stored: Stored[],
  ): Stored[] => {
    const byName = new Map(stored.map((each) => [each.name, each]));
    return definition[field].map((name) => {
      const found = byName.get(name);
      if (found !== undefined) return found;
      throw new AssayError(
        'rule_violated',
        `Version "${version.name}" of the agent "${agent.name}" names the ${noun} "${name}", which does not exist.`,
        [{ field, value: name, message: `names no ${noun}` }],
      );
    });
  };
  return {
    kind: 'native',
    agent,
    version,
    model: definition.model,
    instructions: definition.instructions,
    prompts: inOrder('prompts', 'prompt', prompts).map(({ name, body }) => ({ name, body })),
    skills: inOrder('skills', 'skill', skills).map(({ name, description, body }) => ({
      name,
      description,
      body,
    })),
    mcpServers: inOrder('mcpServers', 'MCP server', servers).map(frozenServer),
    limits: definition.limits,
  };
}

export function frozenServer({ id, name, transport, profile, isolation }: StoredServer): FrozenServer {
  return { id, name, transport, profile, isolation, target: { mode: 'real', endpoint: null } };
}
