import { shown } from '../../contract/shown-text.ts';
import type { Run } from '../command.ts';
import { everyPage } from '../every-page.ts';
import { table } from '../table.ts';

export interface GrantOptions {
  to: string;
  usesSecrets?: boolean;
}

export const listGrants: Run<object> = async ({ output, connect }) => {
  const { client } = await connect();
  const items = await everyPage((page) => client.grants.list(page));
  output.result({ items, nextCursor: null }, () =>
    table(
      ['AGENT', 'PROVIDED TO', 'USES SECRETS', 'SINCE', 'ID'],
      items.map(({ agent, consumer, usesSecrets, createdAt, id }) => [
        agent.name,
        consumer.name,
        usesSecrets ? 'yes' : 'no',
        createdAt,
        id,
      ]),
    ),
  );
  return 0;
};

export const getGrant: Run<object> = async ({ output, connect }, [id = '']) => {
  const { client } = await connect();
  const grant = await client.grants.get({ id });
  const secrets = grant.usesSecrets ? ' with the secrets of this workspace' : '';
  output.result(
    grant,
    () =>
      `"${shown(grant.agent.name)}" is provided to the workspace "${shown(grant.consumer.name)}"${secrets}, since ${grant.createdAt} (${grant.id}).`,
  );
  return 0;
};

export const createGrant: Run<GrantOptions> = async ({ output, connect }, [agent = ''], options) => {
  const { client } = await connect();
  const { to: workspace, usesSecrets = false } = options;
  const grant = await client.grants.create({ agent, workspace, usesSecrets });
  output.result(
    grant,
    () =>
      `"${shown(grant.agent.name)}" is provided to the workspace "${shown(grant.consumer.name)}" (${grant.id}).`,
  );
  return 0;
};

export const revokeGrant: Run<object> = async ({ output, connect }, [id = '']) => {
  const { client } = await connect();
  const revoked = await client.grants.revoke({ id });
  output.result(revoked, () => `The grant ${revoked.id} is revoked.`);
  return 0;
};
