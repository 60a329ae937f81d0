import type { AssayClient } from '../../contract/client.ts';
import type { Role } from '../../contract/role.ts';
import { shown } from '../../contract/shown-text.ts';
import type { Run } from '../command.ts';
import { everyPage } from '../every-page.ts';
import { CommandError } from '../failure.ts';
import { table } from '../table.ts';

export interface NewTokenOptions {
  name: string;
  role: Role;
  expiresInDays?: number;
}

export const listTokens: Run<object> = async ({ output, connect }) => {
  const { client } = await connect();
  const items = await everyPage((page) => client.tokens.list(page));
  output.result({ items, nextCursor: null }, () =>
    table(
      ['NAME', 'ROLE', 'OWNER', 'TOKEN', 'LAST USED', 'EXPIRES', 'ID'],
      items.map(({ name, role, owner, start, lastUsedAt, expiresAt, id }) => [
        name,
        role,
        owner.name,
        `${start}…`,
        lastUsedAt ?? 'never',
        expiresAt ?? 'never',
        id,
      ]),
    ),
  );
  return 0;
};

export const createToken: Run<NewTokenOptions> = async ({ output, connect }, _args, options) => {
  const { name, role, expiresInDays } = options;
  const { client } = await connect();
  const made = await client.tokens.create({
    name,
    role,
    ...(expiresInDays === undefined ? {} : { expiresInDays }),
  });
  output.result(made, () => made.token);
  output.note(`This is the one time that the token "${shown(made.name)}" is shown.`);
  return 0;
};

export const revokeToken: Run<object> = async ({ output, connect }, [reference = '']) => {
  const { client } = await connect();
  const revoked = await client.tokens.revoke({ id: await idOf(client, reference) });
  output.result(revoked, () => `The token "${shown(revoked.name)}" has ended.`);
  return 0;
};

/** The id of the token that is meant by its id or name. */
async function idOf(client: AssayClient, reference: string): Promise<string> {
  const items = await everyPage((page) => client.tokens.list(page));
  const meant = items.filter(({ id, name }) => id === reference || name === reference);
  if (meant.length > 1) {
    const ids = meant.map(({ id }) => id).join(', ');
    throw new CommandError(`${meant.length} tokens are named "${reference}": name one by its id (${ids}).`);
  }
  return meant[0]?.id ?? reference;
}
