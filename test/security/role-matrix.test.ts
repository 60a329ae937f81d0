import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { httpClient } from '../../src/cli/http-client.ts';
import type { AssayClient } from '../../src/contract/client.ts';
import { roles } from '../../src/core/role.ts';
import { fingerprints } from './fingerprint.ts';
import { type Operation, operations } from './operations.ts';
import {
  type Answered,
  type Member,
  type People,
  type Person,
  people as somePeople,
  untilThere,
} from './people.ts';
import { browserOnly, samples } from './samples.ts';

let people: People;
/** What there is in the database: the same before and after a call that changes nothing. */
let contents: Awaited<ReturnType<typeof fingerprints>>;
beforeAll(async () => {
  people = await somePeople();
  contents = await fingerprints(people);
}, untilThere);
afterAll(() => people?.leave());

const operatorIn = (workspace: string) =>
  httpClient({ url: people.url, token: people.operator.token ?? '', tokenPlace: 'operator', workspace });

let made = 0;
async function inputOf(operation: Operation, caller: AssayClient): Promise<Record<string, unknown>> {
  made += 1;
  const sample = samples[operation.name];
  if (sample === undefined) throw new Error(`samples.ts has no input of ${operation.name}`);
  return { ...(await sample(people.operator.client, `m${made}`, caller, operatorIn)) };
}

/** One request, made of the operation's address and input alone. */
function call(operation: Operation, input: Record<string, unknown>, person: Caller, workspace = 'main') {
  const rest = { ...input };
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = rest[name];
    delete rest[name];
    return encodeURIComponent(String(value));
  });
  const headers = { 'assay-workspace': workspace };
  if (operation.method !== 'GET') {
    return person.ask(`/api${path}`, { method: operation.method, headers, body: rest });
  }
  const query = new URLSearchParams(
    Object.entries(rest).map(([key, value]): [string, string] => [key, String(value)]),
  );
  return person.ask(`/api${path}?${query}`, { headers });
}

type Caller = Pick<Person, 'name' | 'ask'>;

/** Somebody with the rights of a role: by their token or, for what no token does, in their browser. */
function holder(operation: Operation, member: Member): Caller {
  return operation.name in browserOnly ? inBrowser(member) : member;
}

function inBrowser({ name, cookie }: Member): Caller {
  return {
    name,
    ask: (path, asked = {}) =>
      people.ask(path, { ...asked, headers: { ...asked.headers, cookie, origin: people.url } }),
  };
}

const codeOf = ({ body }: Answered) => (body as { code?: string } | null)?.code;
const named = (some: readonly Operation[]) => some.map((operation) => [operation.name, operation] as const);

test('every operation has an input here', () => {
  expect(Object.keys(samples).sort()).toEqual(operations.map(({ name }) => name).sort());
});

test.each([
  ['a workspace', "update workspace set time_zone = 'Asia/Tokyo' where name = 'elsewhere'"],
  ['a key', "update api_key set enabled = not enabled where name = 'of revoked'"],
  [
    'an account',
    "insert into auth_verification (id, identifier, value, expires_at) values (gen_random_uuid(), 'a', 'b', now())",
  ],
  ['a run', "update test_run set status = 'cancelled'"],
])('a change of %s would be seen although it leaves no audit entry', async (what, statement) => {
  const { client } = people.operator;
  await samples['testRuns.result']?.(client, `changed ${what}`, client, operatorIn);
  const before = await contents();
  expect(await contents()).toEqual(before);
  await people.sql(statement);
  expect(await contents()).not.toEqual(before);
});

describe.each(named(operations))('%s', (_, operation) => {
  const enough = roles.slice(roles.indexOf(operation.role));
  const tooLittle = roles.slice(0, roles.indexOf(operation.role));

  test(`is done for ${enough.join(', ')}`, async () => {
    for (const role of enough) {
      const input = await inputOf(operation, people[role].client);
      const answer = await call(operation, input, holder(operation, people[role]));
      expect([role, answer.status, answer.status < 300 ? '' : answer.body]).toEqual([role, 200, '']);
    }
  });

  test(`is refused to nobody, to a revoked token${tooLittle.map((role) => `, to a ${role}`).join('')}, and changes nothing then`, async () => {
    const input = await inputOf(operation, people.operator.client);
    const before = await contents();
    const refused: [Caller, number, string][] = [
      [people.nobody, 401, 'unauthenticated'],
      [people.revoked, 401, 'unauthenticated'],
      ...tooLittle.flatMap((role): [Caller, number, string][] => [
        [people[role], 403, 'forbidden'],
        [inBrowser(people[role]), 403, 'forbidden'],
      ]),
    ];
    const byToken = browserOnly[operation.name];
    if (byToken !== undefined) {
      refused.push([people.admin, byToken, byToken === 403 ? 'forbidden' : 'not_found']);
    }
    for (const [person, status, code] of refused) {
      const answer = await call(operation, input, person);
      expect([person.name, answer.status, codeOf(answer)]).toEqual([person.name, status, code]);
    }
    expect(await contents()).toEqual(before);
  });

  test('is answered to a stranger as if the workspace did not exist', async () => {
    const input = await inputOf(operation, people.operator.client);
    const before = await contents();
    const stranger = holder(operation, people.elsewhere);
    const foreign = await call(operation, input, stranger, 'main');
    const missing = await call(operation, input, stranger, 'niam');
    expect(foreign.status).toBe(404);
    expect(JSON.stringify(foreign.body).replaceAll('main', 'niam')).toBe(JSON.stringify(missing.body));
    expect(await contents()).toEqual(before);
  });
});

const idPlace = /\{(\w*[iI]d)\}/;

test.each(named(operations.filter(({ path }) => idPlace.test(path))))(
  '%s answers an id of another workspace exactly like one that nobody has',
  async (_, operation) => {
    const [, place = ''] = idPlace.exec(operation.path) ?? [];
    const input = await inputOf(operation, people.operator.client);
    const id = String(input[place]);
    const unknown = id.replace(/.{4}$/, (end) => (end === 'ffff' ? '0000' : 'ffff'));
    const home = people.elsewhere.workspaceId;
    const before = await contents();
    const stranger = holder(operation, people.elsewhere);
    const foreign = await call(operation, input, stranger, home);
    const missing = await call(operation, { ...input, [place]: unknown }, stranger, home);
    expect([foreign.status, missing.status]).toEqual([404, 404]);
    expect(JSON.stringify(foreign.body).replaceAll(id, unknown)).toBe(JSON.stringify(missing.body));
    expect(await contents()).toEqual(before);
  },
);
