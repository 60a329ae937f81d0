import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { httpClient } from '../../src/cli/http-client.ts';
import type { AssayClient } from '../../src/contract/client.ts';
import type { Role } from '../../src/core/role.ts';
import { type DatabaseRole, embeddedAccess } from '../../src/store/connection.ts';
import { openEmbedded } from '../../src/store/embedded/server.ts';
import { type Installation, installation, type Started } from '../e2e/installation.ts';

/** What a request of a test says beside its path; `body` is sent as JSON. */
export interface Asked {
  method?: string;
  headers?: Record<string, string>;
  body?: unknown;
}

export interface Answered {
  status: number;
  headers: Headers;
  /** Read as JSON where it is some, else the text. */
  body: unknown;
}

/** Somebody who calls a server over HTTP. */
export interface Person {
  name: string;
  /** null: they have none. */
  token: string | null;
  /** The workspace that they know, by id. */
  workspaceId: string;
  /** The operations with their token, in the workspace that they know. A token that the server does not know is an error
   *  that is no refusal. */
  client: AssayClient;
  /** One request with their token and nothing else. */
  ask(path: string, asked?: Asked): Promise<Answered>;
}

/** Somebody with an account: what they do in their browser. */
export interface Member extends Person {
  userId: string;
  email: string;
  /** As a browser sends it. */
  cookie: string;
}

export interface People {
  place: Installation;
  server: Started;
  url: string;
  /** Whoever owns the installation. */
  operator: Person;
  /** Has no token. */
  nobody: Person;
  /** Members of the workspace main, with a token of their role each. */
  viewer: Member;
  editor: Member;
  admin: Member;
  /** Admin of another workspace, and no member of main. */
  elsewhere: Member;
  /** A member of main, admin, whose token was revoked. */
  revoked: Member;
  /** Adds somebody new to a workspace, who chooses a password and makes a token of their role for it. */
  join(name: string, role: Role, workspaceId?: string): Promise<Member>;
  /** One request without any token. */
  ask(path: string, asked?: Asked): Promise<Answered>;
  /** Sends a form, as a page of the server does. */
  submit(path: string, fields: Record<string, string>, headers?: Record<string, string>): Promise<Answered>;
  /** One statement on the database of the server, as the role that signs people in, or as another one. */
  sql(statement: string, role?: DatabaseRole): Promise<Record<string, unknown>[]>;
  /** Stops the server and removes everything. */
  leave(): Promise<void>;
}

/** The password of everybody here. */
export const password = 'correct horse battery staple';

/** On a machine that is busy with other tests it takes that long at most until everybody is there. */
export const untilThere = 180_000;

/** A server of its own, and one person of each kind who calls it. */
export async function people(): Promise<People> {
  const place = await installation();
  const server = place.start(['serve', '--port', '0']);
  const [, url = ''] = await server.said('stdout', /serves (http:\S+) on/);
  await server.said('stderr', /Ctrl-C stops it/);
  const operatorToken = (await readFile(join(place.home, 'operator-token'), 'utf8')).trim();

  async function ask(path: string, { method = 'GET', headers = {}, body }: Asked = {}): Promise<Answered> {
    const response = await fetch(`${url}${path}`, {
      method,
      redirect: 'manual',
      headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    return { status: response.status, headers: response.headers, body: readable(await response.text()) };
  }

  const person = (name: string, token: string | null, workspaceId: string): Person => ({
    name,
    token,
    workspaceId,
    client: httpClient({ url, token: token ?? 'none', tokenPlace: name, workspace: workspaceId }),
    ask: (path, asked = {}) =>
      ask(path, {
        ...asked,
        headers: {
          ...(token === null ? {} : { authorization: `Bearer ${token}` }),
          'assay-workspace': workspaceId,
          ...asked.headers,
        },
      }),
  });

  const submit: People['submit'] = (path, fields, headers = {}) =>
    ask(path, {
      method: 'POST',
      headers: { origin: url, 'content-type': 'application/x-www-form-urlencoded', ...headers },
      body: new URLSearchParams(fields).toString(),
    });

  const operatorIn = (workspaceId: string) => person('operator', operatorToken, workspaceId);

  const joined: People['join'] = async (name, role, workspaceId = mainId) => {
    const email = `${name}@assay.example`;
    const { link, userId } = await operatorIn(workspaceId).client.members.add({ email, name, role });
    const token = new URL(link ?? '').searchParams.get('token') ?? '';
    const chosen = await submit('/join', { token, email, password });
    const cookie = cookieOf(chosen);
    const made = await ask('/api/tokens', {
      method: 'POST',
      headers: { cookie, origin: url, 'assay-workspace': workspaceId },
      body: { name: `of ${name}`, role },
    });
    const { token: apiToken } = made.body as { token: string };
    return { ...person(name, apiToken, workspaceId), userId, email, cookie };
  };

  const operator = operatorIn('main');
  const { items } = await operator.client.workspaces.list({});
  const mainId = items.find(({ name }) => name === 'main')?.id ?? '';
  const other = await operator.client.workspaces.create({ name: 'elsewhere', timeZone: 'UTC' });

  const revoked = await joined('revoked', 'admin');
  const [token] = (await operatorIn(mainId).client.tokens.list({})).items;
  await operatorIn(mainId).client.tokens.revoke({ id: token?.id ?? '' });

  const [viewer, editor, admin, elsewhere] = await Promise.all([
    joined('viewer', 'viewer'),
    joined('editor', 'editor'),
    joined('admin', 'admin'),
    joined('elsewhere', 'admin', other.id),
  ]);
  return {
    place,
    server,
    url,
    operator: operatorIn(mainId),
    nobody: person('nobody', null, mainId),
    viewer,
    editor,
    admin,
    elsewhere,
    revoked,
    join: joined,
    ask,
    submit,
    sql: async (statement, role = 'system') => {
      const database = await openEmbedded({ home: place.home });
      const client = new pg.Client(embeddedAccess(database).config(role));
      await client.connect();
      try {
        return (await client.query(statement)).rows;
      } finally {
        await client.end();
        await database.stop();
      }
    },
    leave: () => place.remove(),
  };
}

/** What a browser sends back of the cookies that an answer sets. */
export function cookieOf({ headers }: Answered): string {
  return headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0])
    .join('; ');
}

function readable(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
