import type { AssayClient } from '../../contract/client.ts';
import type { Role } from '../../contract/role.ts';
import { shown } from '../../contract/shown-text.ts';
import type { Run } from '../command.ts';
import { everyPage } from '../every-page.ts';
import { table } from '../table.ts';

export interface NewMemberOptions {
  name?: string;
  role: Role;
}

export const listMembers: Run<object> = async ({ output, connect }) => {
  const { client } = await connect();
  const items = await everyPage((page) => client.members.list(page));
  output.result({ items, nextCursor: null }, () =>
    table(
      ['NAME', 'E-MAIL', 'ROLE', 'ID'],
      items.map(({ name, email, role, userId }) => [name, email, role, userId]),
    ),
  );
  return 0;
};

export const addMember: Run<NewMemberOptions> = async ({ output, connect }, [email = ''], options) => {
  const { name, role } = options;
  const { client } = await connect();
  const added = await client.members.add({ email, role, ...(name === undefined ? {} : { name }) });
  output.result(added, () =>
    [
      `${shown(added.name)} is ${added.role} now.`,
      ...(added.link === null
        ? []
        : ['Give them this link, by which they choose a password within 7 days:', `  ${added.link}`]),
    ].join('\n'),
  );
  return 0;
};

export const setRole: Run<object> = async ({ output, connect }, [reference = '', role]) => {
  const { client } = await connect();
  const userId = await idOf(client, reference);
  // the operation says what is wrong with another word
  const member = await client.members.setRole({ userId, role: role as Role });
  output.result(member, () => `${shown(member.name)} is ${member.role} now.`);
  return 0;
};

export const removeMember: Run<object> = async ({ output, connect }, [reference = '']) => {
  const { client } = await connect();
  const removed = await client.members.remove({ userId: await idOf(client, reference) });
  output.result(removed, () => `${shown(reference)} is no member any more.`);
  return 0;
};

/** The id of the member that is meant by it or by an e-mail address. */
async function idOf(client: AssayClient, reference: string): Promise<string> {
  if (!reference.includes('@')) return reference;
  const items = await everyPage((page) => client.members.list(page));
  return items.find(({ email }) => email === reference.toLowerCase())?.userId ?? reference;
}
