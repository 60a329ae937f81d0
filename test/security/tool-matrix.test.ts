import { Client } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Role, roles } from '../../src/core/role.ts';
import { snakeCase } from '../../src/core/text/key-case.ts';
import { overHttp } from '../e2e/mcp-client.ts';
import { fingerprints } from './fingerprint.ts';
import { type Operation, operations } from './operations.ts';
import { type People, type Person, people as somePeople, untilThere } from './people.ts';
import { samples } from './samples.ts';

const tools = operations.filter(({ tool }) => tool !== null);
let people: People;
/** What there is in the database: the same before and after a call that changes nothing. */
let contents: Awaited<ReturnType<typeof fingerprints>>;
const clients = new Map<string, Client>();
beforeAll(async () => {
  people = await somePeople();
  contents = await fingerprints(people);
  for (const name of [...roles, 'elsewhere'] as const) clients.set(name, await connected(people[name]));
}, untilThere);
afterAll(async () => {
  for (const client of clients.values()) await client.close();
  await people?.leave();
});

async function connected(person: Person, workspace = person.workspaceId): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' });
  const place = { url: people.url, home: people.place.home, token: person.token ?? '' };
  await client.connect(overHttp(place, { 'assay-workspace': workspace }));
  return client;
}

let made = 0;
async function argumentsOf({ name }: Operation): Promise<Record<string, unknown>> {
  made += 1;
  const { client } = people.operator;
  const input = await samples[name]?.(client, `t${made}`, client, () => client);
  return Object.fromEntries(Object.entries(input ?? {}).map(([key, value]) => [snakeCase(key), value]));
}

async function call(caller: string, { tool }: Operation, args: Record<string, unknown>) {
  const answer = await clients.get(caller)?.callTool({ name: tool ?? '', arguments: args });
  const [content] = (answer?.content ?? []) as { text: string }[];
  return { isError: answer?.isError ?? false, text: content?.text ?? '' };
}

test('without a token that is known and stands, nobody gets a connection', async () => {
  for (const person of [people.nobody, people.revoked]) {
    await expect(connected(person)).rejects.toThrow(/"code":"unauthenticated"/);
  }
});

describe.each(tools.map((operation) => [operation.tool, operation] as const))(
  'the tool %s',
  (_, operation) => {
    const needed = roles.indexOf(operation.role);

    test('does its work for whoever has the role, and changes nothing for others', async () => {
      for (const role of roles.slice(needed)) {
        const { isError, text } = await call(role, operation, await argumentsOf(operation));
        expect([role, isError, isError ? text : '']).toEqual([role, false, '']);
      }
      const args = await argumentsOf(operation);
      const before = await contents();
      for (const role of roles.slice(0, needed)) {
        const { isError, text } = await call(role, operation, args);
        expect([role, isError, text]).toEqual([role, true, refusal(operation.role, role)]);
      }
      expect(await contents()).toEqual(before);
    });
  },
);

function refusal(needed: Role, role: Role) {
  return expect.stringContaining(`needs the role ${needed} in the workspace "main"; yours is ${role}`);
}

test.each(
  tools
    .filter(({ path }) => /\{\w*[iI]d\}/.test(path))
    .map((operation) => [operation.tool, operation] as const),
)('the tool %s answers an id of another workspace exactly like one that nobody has', async (_, operation) => {
  const args = await argumentsOf(operation);
  const [place = ''] = Object.keys(args).filter((key) => /(^|_)id$/.test(key));
  const id = String(args[place]);
  const unknown = id.replace(/.{4}$/, (end) => (end === 'ffff' ? '0000' : 'ffff'));
  const before = await contents();
  const foreign = await call('elsewhere', operation, args);
  const missing = await call('elsewhere', operation, { ...args, [place]: unknown });
  expect(foreign.isError).toBe(true);
  expect({ ...foreign, text: foreign.text.replaceAll(id, unknown) }).toEqual(missing);
  expect(await contents()).toEqual(before);
});
