import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { secrets } from '../../test/tool-bench.ts';
import type { Clock } from '../core/ports.ts';
import { createModels } from './models.ts';

const clock: Clock = {
  now: () => new Date(),
  monotonicMs: () => performance.now(),
  sleep: () => Promise.reject(new Error('nothing here waits')),
};
const models = (environment: Record<string, string> = {}) => createModels({ environment, clock });
const failure = (code: string, message: RegExp) =>
  expect.objectContaining({ where: 'model', code, message: expect.stringMatching(message) });

describe('opening a model', () => {
  test('gives the offline model, which says that it is offline', async () => {
    const model = await models().open('offline', 'workspace');
    expect(model).toMatchObject({ name: 'offline', offline: true });
  });

  test('opens a model of the environment once for all workspaces', async () => {
    const keys: string[] = [];
    const opened = createModels({
      environment: { OPENAI_API_KEY: 'sk-test' },
      clock,
      secretSeen: (key, workspaceId) => keys.push(`${key} of ${workspaceId}`),
    });
    for (const workspaceId of ['one', 'two']) {
      expect(await opened.open('openai:gpt-5-mini', workspaceId)).toMatchObject({
        name: 'openai:gpt-5-mini',
        offline: false,
      });
    }
    expect(keys).toEqual(['sk-test of null']);
  });

  test('gives each workspace with settings of its own a model of its own, though both were changed as often', async () => {
    const keys: string[] = [];
    const opened = createModels({
      environment: {},
      clock,
      secretSeen: (key, workspaceId) => keys.push(`${key} of ${workspaceId}`),
      workspaces: {
        secrets,
        read: async (workspaceId) => ({
          baseUrl: null,
          key: secrets.seal(`key-${workspaceId}`),
          revision: 1,
        }),
      },
    });
    const first = await opened.open('openai:gpt-5-mini', 'one');
    const second = await opened.open('openai:gpt-5-mini', 'two');
    expect(second).not.toBe(first);
    await opened.open('openai:gpt-5-mini', 'one');
    expect(keys).toEqual(['key-one of one', 'key-two of two']);
  });

  test.each(['mystery:x', 'constructor:x', 'openai-x', '', 'offline:x'])(
    'refuses "%s", naming the provider and those there are',
    async (name) => {
      await expect(models().open(name, 'workspace')).rejects.toEqual(
        failure(
          'unknown_provider',
          new RegExp(`"${name}".*offline, openai, anthropic, google-genai, ollama`),
        ),
      );
    },
  );

  test('names the variable of a key that is missing, and looks again the next time', async () => {
    const environment: Record<string, string> = { OPENAI_API_KEY: '  ' };
    const opened = models(environment);
    await expect(opened.open('openai:gpt-5-mini', 'workspace')).rejects.toEqual(
      failure('no_key', /openai:gpt-5-mini.*OPENAI_API_KEY/),
    );
    environment.OPENAI_API_KEY = 'sk-test';
    await expect(opened.open('openai:gpt-5-mini', 'workspace')).resolves.toMatchObject({ offline: false });
  });

  test.each([
    ['OPENAI_BASE_URL', 'localhost:1234'],
    ['OPENAI_BASE_URL', 'file:///etc/passwd'],
    ['OPENAI_API', 'assistants'],
    ['ASSAY_MODEL_TIMEOUT_SECONDS', '0'],
    ['ASSAY_MODEL_TIMEOUT_SECONDS', '601'],
    ['ASSAY_MODEL_TIMEOUT_SECONDS', 'soon'],
  ])('refuses %s="%s", naming the variable and the value', async (variable, value) => {
    await expect(
      models({ OPENAI_API_KEY: 'sk-test', [variable]: value }).open('openai:gpt-5-mini', 'workspace'),
    ).rejects.toEqual(failure('invalid_setting', new RegExp(`${variable} is "${value}"`)));
  });

  test('refuses a provider without a model', async () => {
    await expect(models({ OPENAI_API_KEY: 'sk-test' }).open('openai:', 'workspace')).rejects.toEqual(
      failure('no_model', /openai:<model name>/),
    );
  });

  test('never shows the password in a base address', async () => {
    const environment = { OPENAI_API_KEY: 'sk-test', OPENAI_BASE_URL: 'ftp://me:hidden@host/v1' };
    await expect(models(environment).open('openai:gpt-5-mini', 'workspace')).rejects.toEqual(
      failure('invalid_setting', /^(?!.*hidden)/),
    );
  });
});

test.each([
  ['openai', '@langchain/openai'],
  ['anthropic', '@langchain/anthropic'],
  ['google-genai', 'eventsource-parser/stream'],
  ['ollama', '@langchain/openai'],
])(
  'of %s nothing is loaded before one of its models is opened, and of others nothing then',
  async (provider, own) => {
    const script = `
    import { registerHooks } from 'node:module';
    const clients = new Set();
    registerHooks({ resolve: (name, context, next) => {
      if (/^@langchain.(openai|anthropic)|^eventsource-parser/.test(name)) clients.add(name);
      return next(name, context);
    } });
    const { createModels } = await import(${JSON.stringify(new URL('./models.ts', import.meta.url).href)});
    const environment = { OPENAI_API_KEY: 'k', ANTHROPIC_API_KEY: 'k', GOOGLE_API_KEY: 'k' };
    const models = createModels({ environment, clock: {} });
    await models.open('offline', 'workspace');
    const before = [...clients];
    await models.open('${provider}:some-model', 'workspace');
    console.log(JSON.stringify([before, [...clients]]));`;
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script]);
    expect(JSON.parse(stdout)).toEqual([[], [own]]);
  },
);
