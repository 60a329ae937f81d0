import { type EnvironmentDocument, environmentDocument } from '../../core/documents/environment.ts';
import type { WorkspaceTransaction } from '../../store/database.ts';
import {
  casesIn,
  deployedIn,
  type Environment,
  insertEnvironment,
  listEnvironments,
  targetedIn,
  updateEnvironment,
} from '../../store/environment.ts';
import type { ObjectKindOf } from './object-kind.ts';
import { writeObject } from './write-object.ts';

export const environmentKind: ObjectKindOf<EnvironmentDocument, Environment> = {
  kind: 'environment',
  table: 'environment',
  schema: environmentDocument,
  secretFields: [],
  read: listEnvironments,
  document: ({ name, live }) => ({ name, live }),
  uses,

  async save(saving, submitted, stored) {
    const { transaction, workspaceId, role } = saving;
    const environment = { id: stored?.id ?? saving.random.id(), ...submitted.document };
    const isChanged = stored?.name !== environment.name || stored.live !== environment.live;
    if (isChanged && role !== 'admin') {
      submitted.problem('name', 'is of an environment, which only an admin creates or changes', {
        value: environment.name,
        code: 'forbidden',
      });
    }
    if (stored?.live === false && environment.live) {
      const mocked = (await targetedIn(transaction, workspaceId, stored.id)).find(
        ({ mode }) => mode !== 'real',
      );
      if (mocked !== undefined) {
        submitted.problem(
          'live',
          `must stay false while the target of the MCP server "${mocked.server}" is ${mocked.mode} there: nothing is mocked in a live environment`,
          { value: true, code: 'rule_violated' },
        );
      }
    }
    if (submitted.refused) return null;
    return writeObject(saving, 'environment', environment, {
      isNew: stored === undefined,
      isChanged: () => isChanged,
      insert: () => insertEnvironment(transaction, workspaceId, environment),
      update: () => updateEnvironment(transaction, workspaceId, environment),
    });
  },
};

async function uses(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  { id }: { id: string },
): Promise<string[]> {
  const deployed = await deployedIn(transaction, workspaceId, id);
  const targeted = await targetedIn(transaction, workspaceId, id);
  const cases = await casesIn(transaction, workspaceId, id);
  return [
    ...deployed.map(({ agent, version }) => `version "${version}" of the agent "${agent}" is deployed in it`),
    ...targeted.map(({ server, mode }) => `the MCP server "${server}" has a target in it (${mode})`),
    ...cases.map((name) => `the test case "${name}" runs in it`),
  ];
}
