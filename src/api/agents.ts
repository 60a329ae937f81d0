import { listAgents as readPage } from '../store/agent.ts';
import { readVersions } from '../store/agent-version.ts';
import { readDeployments } from '../store/deployment.ts';
import { listEnvironments } from '../store/environment.ts';
import type { ApiContext } from './context.ts';
import { type PageInput, pageByName } from './page.ts';

/** Agents by name, with their versions, oldest first, and the version deployed in each environment, by their names. */
export function listAgents({ program, workspace }: ApiContext, input: PageInput) {
  return program.database.inWorkspace(workspace.id, async (transaction) => {
    const { items, nextCursor } = await pageByName(input, (from) =>
      readPage(transaction, workspace.id, from),
    );
    const ids = items.map(({ id }) => id);
    const versions = await readVersions(transaction, workspace.id, ids);
    const versionNames = new Map(versions.map(({ id, name }) => [id, name]));
    const environments = await listEnvironments(transaction, workspace.id);
    const environmentNames = new Map(environments.map(({ id, name }) => [id, name]));
    const deployments = await readDeployments(transaction, workspace.id, ids);
    return {
      items: items.map(({ id, name }) => ({
        id,
        name,
        versions: versions
          .filter(({ agentId }) => agentId === id)
          .map((version) => ({ id: version.id, name: version.name, status: version.status })),
        deployments: Object.fromEntries(
          deployments
            .filter(({ agentId }) => agentId === id)
            .map(({ environmentId, versionId }) => [
              environmentNames.get(environmentId) ?? environmentId,
              versionNames.get(versionId) ?? versionId,
            ]),
        ),
      })),
      nextCursor,
    };
  });
}
