import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ask, failure, hastyClock, served } from '../../../test/model-server.ts';
import { type NounWorld, nounWorld, refusalOf } from '../../../test/noun-world.ts';
import { secrets } from '../../../test/tool-bench.ts';
import { createModels } from '../../models/models.ts';
import { createGuardedFetch } from '../../net/guarded-fetch.ts';
import { readProviderSettings } from '../../store/settings.ts';

const canary = 'sk-canary-4711-never-shown';

let world: NounWorld;
beforeAll(async () => {
  world = await nounWorld();
});
afterAll(() => world.close());

const nothing = { revision: 0, judgeModel: null, simulatorModel: null, providers: {} };
const update = (change: Parameters<ReturnType<NounWorld['client']>['settings']['update']>[0]) =>
  world.client().settings.update(change);
const stored = () => world.database.system.selectFrom('workspace_setting').selectAll().execute();

/** Begins each group with nothing set. */
async function forgotten() {
  const { providers } = await world.client().settings.get({});
  const none = Object.fromEntries(Object.keys(providers).map((name) => [name, null]));
  await update({ judgeModel: null, simulatorModel: null, providers: none });
}

describe('the settings of a workspace', () => {
  test('are empty at first, and keep what is not named', async () => {
    expect(await world.client().settings.get({})).toEqual(nothing);
    expect(await update({ judgeModel: 'openai:gpt-5' })).toMatchObject({
      revision: 1,
      judgeModel: 'openai:gpt-5',
    });
    const set = await update({
      simulatorModel: 'offline',
      providers: { openai: { key: canary }, ollama: { baseUrl: 'http://10.0.0.7:11434' } },
    });
    const expected = {
      revision: 2,
      judgeModel: 'openai:gpt-5',
      simulatorModel: 'offline',
      providers: {
        openai: { baseUrl: null, hasKey: true },
        ollama: { baseUrl: 'http://10.0.0.7:11434', hasKey: false },
      },
    };
    expect(set).toEqual(expected);
    expect(await world.client({ role: 'viewer' }).settings.get({})).toEqual(expected);
    expect(await update({ judgeModel: null, providers: { ollama: null } })).toEqual({
      ...expected,
      revision: 3,
      judgeModel: null,
      providers: { openai: { baseUrl: null, hasKey: true } },
    });
  });

  test('are those of one workspace', async () => {
    await update({ judgeModel: 'openai:gpt-5' });
    expect(await world.client({ workspace: 'assay' }).settings.get({})).toEqual(nothing);
    const workspaceId = world.context({ workspace: 'assay' }).workspace.id;
    const seen = await world.database.inWorkspace(workspaceId, (transaction) =>
      transaction.selectFrom('workspace_setting').selectAll().execute(),
    );
    expect(seen).toEqual([]);
  });

  test('are changed by admins alone', async () => {
    const before = await stored();
    for (const role of ['viewer', 'editor'] as const) {
      const refusal = await refusalOf(world.client({ role }).settings.update({ judgeModel: null }));
      expect(refusal.code).toBe('forbidden');
    }
    expect(await stored()).toEqual(before);
  });

  test('refuse a revision that is stale', async () => {
    const { revision } = await update({ judgeModel: 'openai:gpt-5' });
    await update({ revision, judgeModel: 'openai:gpt-5-mini' });
    const refusal = await refusalOf(update({ revision, judgeModel: null }));
    expect(refusal.code).toBe('conflict');
    expect(refusal.details).toMatchObject([{ field: 'revision', value: revision }]);
    expect((await world.client().settings.get({})).judgeModel).toBe('openai:gpt-5-mini');
  });

  test('stay at their revision, without an audit row, where nothing changes', async () => {
    const before = await update({ judgeModel: 'openai:gpt-5', providers: { anthropic: { key: canary } } });
    const again = { judgeModel: 'openai:gpt-5', providers: { anthropic: { baseUrl: null } } };
    expect(await update(again)).toEqual(before);
    const count = async () =>
      (await world.database.system.selectFrom('audit_entry').selectAll().execute()).length;
    const rows = await count();
    await update(again);
    expect(await count()).toBe(rows);
  });

  test.each([
    [{ judgeModel: 'offline' }, 'judgeModel'],
    [{ judgeModel: 'gpt-5' }, 'judgeModel'],
    [{ simulatorModel: 'mystery:x' }, 'simulatorModel'],
    [{ providers: { mystery: {} } }, 'providers.mystery'],
    [{ providers: { openai: { baseUrl: 'localhost:1234' } } }, 'providers.openai.baseUrl'],
    [{ providers: { openai: { baseUrl: 'ftp://host/v1' } } }, 'providers.openai.baseUrl'],
    [{ providers: { openai: { baseUrl: 'https://me:hidden@host/v1' } } }, 'providers.openai.baseUrl'],
    [{ providers: { openai: { baseUrl: 'https://host/v1?key=1' } } }, 'providers.openai.baseUrl'],
    [{ providers: { openai: { key: '   ' } } }, 'providers.openai.key'],
    [{ providers: { openai: { key: `${canary}\nsecond line` } } }, 'providers.openai.key'],
    [{ providers: { openai: { key: { value: canary } } } }, 'providers.openai.key'],
    [{ providers: { openai: { apiKey: canary } } }, 'providers.openai.apiKey'],
    [{ model: 'openai:gpt-5' }, 'model'],
  ])('refuse %j', async (change, field) => {
    const before = await stored();
    const refusal = await refusalOf(update(change as never));
    expect(refusal.code).toBe('invalid_input');
    expect(refusal.details[0]?.field).toBe(field);
    expect(JSON.stringify([refusal.message, refusal.details])).not.toContain(canary);
    expect(await stored()).toEqual(before);
  });
});

describe('a stored key', () => {
  beforeAll(forgotten);

  test('goes to no other host', async () => {
    await update({ providers: { openai: { key: canary, baseUrl: 'https://one.example/v1' } } });
    expect(await update({ providers: { openai: { baseUrl: 'https://one.example/v2' } } })).toMatchObject({
      providers: { openai: { baseUrl: 'https://one.example/v2', hasKey: true } },
    });
    for (const baseUrl of [
      'https://two.example/v2',
      'http://one.example/v2',
      'https://one.example:8443/v2',
      null,
    ]) {
      const refusal = await refusalOf(update({ providers: { openai: { baseUrl } } }));
      expect(refusal.code).toBe('rule_violated');
      expect(refusal.details).toMatchObject([{ field: 'providers.openai.key' }]);
    }
    expect(
      await update({ providers: { openai: { baseUrl: 'https://two.example', key: canary } } }),
    ).toMatchObject({
      providers: { openai: { baseUrl: 'https://two.example', hasKey: true } },
    });
    expect(await update({ providers: { openai: { baseUrl: null, key: null } } })).toMatchObject({
      providers: { openai: { baseUrl: null, hasKey: false } },
    });
  });

  test('is sealed, and stands in no answer, audit row or export', async () => {
    const shown = [
      await update({ judgeModel: 'openai:gpt-5', providers: { openai: { key: canary } } }),
      await world.client().settings.get({}),
      await refusalOf(update({ providers: { openai: { baseUrl: 'https://elsewhere.example' } } })),
      await world.export(),
      await world.everything(),
      await stored(),
    ];
    expect(JSON.stringify(shown)).not.toContain(canary);
    const audit = await world.database.system
      .selectFrom('audit_entry')
      .selectAll()
      .where('action', '=', 'settings.update')
      .execute();
    expect(audit.at(-1)).toMatchObject({
      principal: 'operator:local',
      object_kind: 'settings',
      object_name: 'main',
    });
    const [row] = await stored();
    expect(secrets.open(row?.providers.openai?.key as never)).toBe(canary);
  });
});

describe('the models of a workspace', () => {
  const lookups: string[] = [];
  const models = createModels({
    environment: { OPENAI_API_KEY: 'sk-of-the-server', OPENAI_BASE_URL: 'http://127.0.0.1:9/v1' },
    clock: hastyClock(),
    fetch: createGuardedFetch({ allowPrivate: true }),
    workspaces: {
      secrets,
      read: (workspaceId, provider) => {
        lookups.push(`${workspaceId} ${provider}`);
        return readProviderSettings(world.database.system, workspaceId, provider);
      },
    },
  });
  const idOf = (workspace: 'main' | 'assay') => world.context({ workspace }).workspace.id;
  const never = new AbortController().signal;

  beforeAll(forgotten);

  test('use its key and its address, also when they change, and never those of another workspace', async () => {
    const keys: unknown[] = [];
    await using server = await served((request, response) => {
      keys.push(request.headers.authorization);
      response.writeHead(400).end('{}');
    });
    const call = async (workspace: 'main' | 'assay') =>
      (await models.open('openai:gpt-5', idOf(workspace))).complete(ask('hello'), never);

    await update({ providers: { openai: { baseUrl: server.url, key: 'sk-of-main-1' } } });
    await expect(call('main')).rejects.toEqual(failure('refused', server.url));
    await update({ providers: { openai: { key: 'sk-of-main-2' } } });
    await expect(call('main')).rejects.toEqual(failure('refused', server.url));
    await expect(call('assay')).rejects.toEqual(failure('unreachable', '127.0.0.1:9', 'OPENAI_BASE_URL'));
    await update({ providers: { openai: null } });
    await expect(call('main')).rejects.toEqual(failure('unreachable', '127.0.0.1:9', 'OPENAI_BASE_URL'));
    expect(keys).toEqual(['Bearer sk-of-main-1', 'Bearer sk-of-main-2']);
  });

  test('never send the key of the server to an address of the workspace', async () => {
    await update({ providers: { openai: { baseUrl: 'https://elsewhere.example' } } });
    await expect(models.open('openai:gpt-5', idOf('main'))).rejects.toEqual(
      failure('no_key', 'openai:gpt-5', 'the settings of the workspace', 'OPENAI_API_KEY'),
    );
    await update({ providers: { openai: null } });
  });

  test('say so where a stored key cannot be opened any more', async () => {
    await update({ providers: { openai: { key: canary } } });
    await world.database.inWorkspace(idOf('main'), (transaction) =>
      transaction
        .updateTable('workspace_setting')
        .set({
          revision: 1000,
          providers: JSON.stringify({
            openai: { baseUrl: null, key: { $sealed: { keyId: 'gone', iv: '', data: '', tag: '' } } },
          }),
        })
        .execute(),
    );
    await expect(models.open('openai:gpt-5', idOf('main'))).rejects.toEqual(
      failure('no_key', '"openai" in the settings of the workspace', 'gone'),
    );
    await update({ providers: { openai: null } });
  });

  test('are opened once while nothing changes, with one look at the settings, and the offline one with none', async () => {
    await update({ providers: { openai: { key: 'sk-of-main-3' } } });
    lookups.length = 0;
    const first = await models.open('openai:gpt-5', idOf('main'));
    expect(await models.open('openai:gpt-5', idOf('main'))).toBe(first);
    expect(lookups).toEqual(Array(2).fill(`${idOf('main')} openai`));
    await update({ judgeModel: 'openai:gpt-5-nano' });
    expect(await models.open('openai:gpt-5', idOf('main'))).not.toBe(first);
    lookups.length = 0;
    await models.open('offline', idOf('main'));
    expect(lookups).toEqual([]);
  });
});
