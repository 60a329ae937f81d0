// biome-ignore-all lint/suspicious/noTemplateCurlyInString: this is how object files write variables
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type NounWorld, nounWorld, refusalOf } from '../../../test/noun-world.ts';
import { secrets, toolBench, unruly } from '../../../test/tool-bench.ts';
import { mcpServerDocument } from '../../core/documents/mcp-server.ts';
import type { SealedTransport } from '../../core/frozen.ts';
import { apply } from '../files/apply.ts';
import { discover } from './discovery.ts';
import { mcpServerKind } from './mcp-server.ts';
import { createProblems } from './problems.ts';
import { inSaving } from './saving.ts';
import { submit } from './submit.ts';

let world: NounWorld;
beforeAll(async () => {
  world = await nounWorld();
});
afterAll(() => world.close());

async function stored(name: string) {
  const { system } = world.database;
  return system.selectFrom('mcp_server').selectAll().where('name', '=', name).executeTakeFirstOrThrow();
}

/** The plain secrets of a stored transport. */
async function openSecrets(name: string): Promise<Record<string, string>> {
  const { transport } = await stored(name);
  const sealed =
    transport.type === 'stdio' ? transport.env : transport.type === 'http' ? transport.headers : {};
  return Object.fromEntries(Object.entries(sealed).map(([key, value]) => [key, secrets.open(value)]));
}

async function exported(name: string): Promise<string> {
  const documents = (await world.export()).split('---\n');
  return documents.find((document) => document.includes(`name: ${name}\n`)) ?? '';
}

const http = (name: string, headers: string, more = '') =>
  `kind: mcp-server\nname: ${name}\ntransport:\n  type: http\n  url: "https://tools.example/mcp"\n  headers: ${headers}\n${more}`;

describe('secrets', () => {
  test('are sealed, and exported as the variables that they were written with', async () => {
    await world.apply(http('sealed', '{ Authorization: "Bearer ${TOKEN}" }'), { TOKEN: 'canary-one' });
    const row = await stored('sealed');
    expect(JSON.stringify(row)).not.toContain('canary-one');
    expect(await openSecrets('sealed')).toEqual({ Authorization: 'Bearer canary-one' });
    expect(await exported('sealed')).toContain('Authorization: Bearer ${TOKEN}');
  });

  test('that a file holds in the open are exported as a variable, and stay unchanged', async () => {
    const text = http('in the open', '{ X-Key: canary-two }');
    expect(await world.actions(text)).toEqual(['created']);
    expect(await world.actions(text)).toEqual(['unchanged']);
    const document = await exported('in the open');
    expect(document).not.toContain('canary-two');
    expect(document).toContain('X-Key: ${IN_THE_OPEN_X_KEY}');
    expect(await world.actions(document)).toEqual(['unchanged']);
    expect(await world.actions(document, { IN_THE_OPEN_X_KEY: 'canary-three' })).toEqual(['updated']);
    expect(await openSecrets('in the open')).toEqual({ 'X-Key': 'canary-three' });
  });

  test('stay as they are stored where their variable is not set, and change where it is', async () => {
    const text = http('rotated', '{ A: "${TOKEN}", B: "${OTHER}" }');
    await world.apply(text, { TOKEN: 'first', OTHER: 'other' });
    const sealedFirst = (await stored('rotated')).transport;
    expect(await world.actions(text)).toEqual(['unchanged']);
    expect(await world.actions(text, { TOKEN: 'first' })).toEqual(['unchanged']);
    expect((await stored('rotated')).transport).toEqual(sealedFirst);
    expect(await world.actions(text, { TOKEN: 'second' })).toEqual(['updated']);
    expect(await openSecrets('rotated')).toEqual({ A: 'second', B: 'other' });
  });

  test('that are neither set nor stored are refused with file and line', async () => {
    const refusal = await refusalOf(world.apply(http('never set', '{ A: "${NOT_SET}" }')));
    expect(refusal.message).toBe(
      'f.yaml:6: transport.headers.A: needs a value: NOT_SET is not set, and no value is stored',
    );
    expect(world.asked.map(({ name }) => name)).not.toContain('never set');
  });

  test('never stand in a refusal', async () => {
    const text = http('talkative', '{ A: "${TOKEN}", B: [canary-four], C: 5 }', 'profile: fast\n');
    const refusal = await refusalOf(world.apply(text, { TOKEN: 'canary-five' }));
    expect(refusal.details.map(({ field }) => field)).toEqual([
      'transport.headers.B',
      'transport.headers.C',
      'profile',
    ]);
    expect(JSON.stringify([refusal.message, refusal.details])).not.toMatch(/canary/);
  });

  test('whose key is lost can be entered again', async () => {
    const text = http('lost key', '{ A: "${TOKEN}" }');
    await world.apply(text, { TOKEN: 'same' });
    const { transport } = await stored('lost key');
    await world.database.system
      .updateTable('mcp_server')
      .set({ transport: JSON.stringify(transport).replace(/"keyId":"[^"]*"/, '"keyId":"gone"') })
      .where('name', '=', 'lost key')
      .execute();
    expect(await world.actions(text, { TOKEN: 'same' })).toEqual(['updated']);
    expect(await openSecrets('lost key')).toEqual({ A: 'same' });
  });
});

describe('a variable that looks like a secret outside of env and headers', () => {
  const text = (args: string) =>
    `kind: mcp-server\nname: open\ntransport:\n  type: stdio\n  command: anything\n  args: ${args}\n  env: { A: "\${API_KEY}" }\n`;

  test('is warned about, each time, without its value', async () => {
    const file = text('[--token, "${GITHUB_TOKEN}", "${FILES_DIR}", "$${OTHER_TOKEN}"]');
    for (let time = 0; time < 2; time++) {
      const { warnings } = await world.apply(file, {
        GITHUB_TOKEN: 'canary-six',
        FILES_DIR: '/f',
        API_KEY: 'k',
      });
      expect(warnings.filter(({ message }) => message.includes('TOKEN'))).toEqual([
        {
          kind: 'mcp-server',
          name: 'open',
          message:
            'transport.args[1] holds ${GITHUB_TOKEN}, which looks like a secret. Its value is stored as it is there, and whoever may export sees it: only the entries of env and headers of a server are kept as secrets.',
        },
      ]);
      expect(JSON.stringify(warnings)).not.toMatch(/canary|API_KEY/);
    }
  });

  test.each([
    ['api_key', true],
    ['OPENAI_KEYS', true],
    ['APIKEY', true],
    ['DB_PASSWORD', true],
    ['CLIENT_SECRET', true],
    ['MONKEY', false],
    ['KEYBOARD', false],
    ['URL', false],
  ])('%s: %s', async (name, warned) => {
    const { warnings } = await world.apply(`kind: prompt\nname: variable ${name}\nbody: "\${${name}}"\n`, {
      [name]: 'x',
    });
    expect(warnings.length > 0).toBe(warned);
  });
});

describe('a server that moves asks for its secrets again', () => {
  test.each([
    ['another host', 'https://elsewhere.example/mcp', 'https://elsewhere.example'],
    ['another port', 'https://tools.example:8443/mcp', 'https://tools.example:8443'],
    ['no encryption', 'http://tools.example/mcp', 'http://tools.example'],
  ])('%s', async (what, url, destination) => {
    const name = `moves to ${what}`;
    const before = http(name, '{ A: "${TOKEN}" }');
    await world.apply(before, { TOKEN: 'first' });
    world.asked.length = 0;
    const after = before.replace('https://tools.example/mcp', url);
    const refusal = await refusalOf(world.apply(after));
    expect(refusal.message).toContain(
      `f.yaml:6: transport.headers.A: must be given again, because the secret would go to ${destination} now: set TOKEN`,
    );
    // the stored secret was not sent there to ask for tools either
    expect(world.asked).toEqual([]);
    expect(await world.actions(after, { TOKEN: 'second' })).toEqual(['updated']);
    expect(await openSecrets(name)).toEqual({ A: 'second' });
  });

  test('another path on the same host does not', async () => {
    const text = http('same host', '{ A: "${TOKEN}" }');
    await world.apply(text, { TOKEN: 'first' });
    expect(await world.actions(text.replace('/mcp"', '/v2/mcp"'))).toEqual(['updated']);
  });

  test('an endpoint on another origin gets none, so it does not, and moving to it later does', async () => {
    const text = http('planted', '{ A: "${TOKEN}" }');
    const endpoint = 'targets: { dev: { mode: real, endpoint: "https://evil.example/mcp" } }\n';
    expect(await world.actions(text + endpoint, { TOKEN: 'first' })).toEqual(['created']);
    const moved = text.replace('https://tools.example/mcp', 'https://evil.example/mcp');
    for (const later of [moved, moved + endpoint]) {
      expect((await refusalOf(world.apply(later))).message).toContain('would go to https://evil.example now');
    }
    expect(await openSecrets('planted')).toEqual({ A: 'first' });
  });

  test('an endpoint that was planted before there was a secret does not get one later', async () => {
    const endpoint = 'targets: { dev: { mode: real, endpoint: "https://evil.example/mcp" } }\n';
    await world.apply(http('planted early', '{}', endpoint));
    await world.apply(http('planted early', '{ A: "${TOKEN}" }'), { TOKEN: 'first' });
    const moved = http('planted early', '{ A: "${TOKEN}" }').replace('tools.example', 'evil.example');
    expect((await refusalOf(world.apply(moved))).message).toContain('would go to https://evil.example now');
  });

  test.each([
    ['command', 'command: one', 'command: two'],
    ['package', 'good@1', 'evil@1'],
    ['argument', '[-y', '[--node-options=--import=evil, -y'],
  ])('another %s does', async (what, before, after) => {
    const text = `kind: mcp-server\nname: another ${what}\ntransport: { type: stdio, command: one, args: [-y, good@1], env: { A: "\${TOKEN}" } }\n`;
    await world.apply(text, { TOKEN: 'first' });
    const refusal = await refusalOf(world.apply(text.replace(before, after)));
    expect(refusal.message).toContain(
      'transport.env.A: must be given again, because the secret would go to another program, or one with other arguments, now: set TOKEN, or leave the command as it was',
    );
  });

  test('a server of another type has no stored secret to keep', async () => {
    await world.apply(http('type', '{ A: "${TOKEN}" }'), { TOKEN: 'first' });
    const text =
      'kind: mcp-server\nname: type\ntransport: { type: stdio, command: one, env: { A: "${TOKEN}" } }\n';
    expect((await refusalOf(world.apply(text))).message).toContain('transport.env.A: needs a value');
  });
});

describe('stdio servers run programs', () => {
  const text = 'kind: mcp-server\nname: by an editor\ntransport: { type: stdio, command: anything }\n';

  test('so only an admin may define one, and nothing is started for others', async () => {
    world.asked.length = 0;
    const files = [{ path: 'f.yaml', text }];
    const refusal = await refusalOf(apply(world.context({ role: 'editor' }), { files, variables: {} }));
    expect(refusal.code).toBe('forbidden');
    expect(refusal.message).toContain(
      'f.yaml:3: transport.type: may be stdio only where an admin defines it',
    );
    expect(world.asked).toEqual([]);
  });

  test('also where nothing was prepared before it is saved', async () => {
    const transport = { type: 'stdio' as const, command: 'anything', args: [], env: {} };
    const document = mcpServerDocument.parse({ name: 'not prepared', transport });
    const saving = inSaving(world.context({ role: 'editor' }), async (parts) => {
      const problems = createProblems();
      await mcpServerKind.save(
        parts,
        submit(document, { replaces: null, place: null, problems }),
        undefined,
        undefined,
      );
      problems.refuse();
    });
    expect(await refusalOf(saving)).toMatchObject({
      code: 'forbidden',
      details: [{ field: 'transport.type' }],
    });
  });

  test('and an editor may define servers over HTTP', async () => {
    const files = [{ path: 'f.yaml', text: http('an editor’s', '{}') }];
    expect((await apply(world.context({ role: 'editor' }), { files, variables: {} })).objects).toHaveLength(
      1,
    );
  });
});

describe('targets', () => {
  const targets = (text: string) => http('targeted', '{}', `targets: ${text}\n`);

  test('are set by environment, stay where a file does not name them, and are exported', async () => {
    expect(await world.actions(targets('{ dev: { mode: pass-through } }'))).toEqual(['created']);
    expect(await world.actions(targets('{}'))).toEqual(['unchanged']);
    expect(await exported('targeted')).toContain('targets:\n  dev:\n    mode: pass-through\n');
    const rows = await world.database.system.selectFrom('mcp_target').selectAll().execute();
    expect(rows.filter(({ mode }) => mode === 'pass-through')).toHaveLength(1);
    expect(await world.actions(targets('{ dev: { mode: real } }'))).toEqual(['updated']);
    expect(await exported('targeted')).not.toContain('targets');
  });

  test.each([
    [
      'an unknown environment',
      '{ dve: { mode: real } }',
      'targets.dve: there is no environment "dve"; the closest is "dev"',
    ],
    [
      'a mock in a live one',
      '{ prod: { mode: mock } }',
      'targets.prod.mode: must be real, because "prod" is a live environment',
    ],
    [
      'an unknown mode',
      '{ dev: { mode: fake } }',
      'targets.dev.mode: must be one of real, mock, pass-through',
    ],
    [
      'an endpoint that is no address',
      '{ dev: { mode: real, endpoint: "ftp://x" } }',
      'must be an http or https address',
    ],
    [
      'an endpoint with a password',
      '{ dev: { mode: real, endpoint: "https://me:hunter22@tools.example/mcp" } }',
      'targets.dev.endpoint: must hold no user name and no password, which everybody could read there. Put it into a header instead',
    ],
  ])('%s is refused', async (_, text, message) => {
    expect((await refusalOf(world.apply(targets(text)))).message).toContain(message);
  });
});

describe('discovery of tools', () => {
  const { tools } = toolBench();
  afterAll(() => tools.close());
  const run = (text: string, variables = {}) =>
    apply(world.context({ tools }), { files: [{ path: 'f.yaml', text }], variables });
  const stdio = (name: string, { transport }: ReturnType<typeof unruly>, more = {}) =>
    JSON.stringify({ kind: 'mcp-server', name, transport, ...more });

  test('a real server tells its tools with their annotations, and is asked again only when it changes', async () => {
    const first = await run(stdio('told', unruly()));
    expect(first).toMatchObject({ objects: [{ action: 'created' }], warnings: [] });
    const found = (await stored('told')).tools ?? [];
    expect(found.find(({ tool }) => tool === 'undeclared')?.annotations).toEqual({});
    expect(found.find(({ tool }) => tool === 'look')?.annotations).toEqual({
      readOnlyHint: true,
      title: 'Look',
    });
    expect(await world.actions(stdio('told', unruly()))).toEqual(['unchanged']);
    expect(world.asked.map(({ name }) => name)).not.toContain('told');
  });

  test('a server that cannot be reached is saved with a warning, and asked again by the next apply', async () => {
    const missing = { transport: { type: 'stdio', command: 'no-such-program-here', args: [], env: {} } };
    const text = JSON.stringify({ kind: 'mcp-server', name: 'gone', ...missing });
    const first = await run(text);
    expect(first.objects).toMatchObject([{ name: 'gone', action: 'created' }]);
    expect(first.warnings).toMatchObject([{ kind: 'mcp-server', name: 'gone' }]);
    expect(first.warnings[0]?.message).toContain('no-such-program-here');
    expect((await stored('gone')).tools).toBeNull();
    const before = await world.everything();
    expect(await run(text)).toMatchObject({
      objects: [{ action: 'unchanged' }],
      warnings: [{ name: 'gone' }],
    });
    expect(await world.everything()).toEqual(before);
  });

  test('a server that becomes reachable is updated by its tools', async () => {
    await world.apply(stdio('late', unruly()));
    expect((await stored('late')).tools).toBeNull();
    expect(await run(stdio('late', unruly()))).toMatchObject({
      objects: [{ action: 'updated' }],
      warnings: [],
    });
    expect((await stored('late')).tools).not.toBeNull();
    // other settings do not ask again, and keep the tools
    expect(await world.actions(stdio('late', unruly(), { profile: 'long' }))).toEqual(['updated']);
    expect((await stored('late')).tools).not.toBeNull();
  });

  test('a server that never answers is waited for only so long', async () => {
    const transport: SealedTransport = {
      type: 'stdio',
      command: process.execPath,
      args: ['-e', 'setInterval(() => {}, 1000)'],
      env: {},
    };
    const server = { name: 'silent', profile: 'standard' as const, isolation: 'run' as const, transport };
    expect(await discover(tools, 'workspace', server, 300)).toEqual({
      problem: 'MCP server "silent" did not list its tools within 0.3 s',
    });
  });
});
