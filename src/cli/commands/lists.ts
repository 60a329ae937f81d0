import type { Run } from '../command.ts';
import { everyPage } from '../every-page.ts';
import { table } from '../table.ts';

export const listAgents: Run<object> = async ({ output, connect }) => {
  const { client } = await connect();
  const items = await everyPage((page) => client.agents.list(page));
  output.result({ items, nextCursor: null }, () =>
    table(
      ['NAME', 'VERSIONS', 'DEPLOYED', 'ID'],
      items.map((agent) => [
        agent.name,
        agent.versions.map(({ name, status }) => `${name} (${status})`).join(', '),
        Object.entries(agent.deployments)
          .map(([environment, version]) => `${environment}: ${version}`)
          .join(', '),
        agent.id,
      ]),
    ),
  );
  return 0;
};

export const listTestCases: Run<object> = async ({ output, connect }) => {
  const { client } = await connect();
  const items = await everyPage((page) => client.testCases.list(page));
  output.result({ items, nextCursor: null }, () =>
    table(
      ['NAME', 'AGENT', 'ENVIRONMENT', 'VERSION', 'ID'],
      items.map(({ name, agent, environment, agentVersion, id }) => [
        name,
        agent,
        environment,
        agentVersion,
        id,
      ]),
    ),
  );
  return 0;
};

export const listTestSuites: Run<object> = async ({ output, connect }) => {
  const { client } = await connect();
  const items = await everyPage((page) => client.testSuites.list(page));
  output.result({ items, nextCursor: null }, () =>
    table(
      ['NAME', 'CASES', 'ID'],
      items.map(({ name, testCases, id }) => [name, String(testCases), id]),
    ),
  );
  return 0;
};
