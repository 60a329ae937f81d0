import { expect, test } from 'vitest';
import { childEnvironment } from './child-environment.ts';

test('a child inherits where things are and the language, and none of the keys of this installation', () => {
  const harmless = {
    PATH: '/bin',
    HOME: '/home/me',
    LANG: 'de_DE.UTF-8',
    LC_TIME: 'C',
    TZ: 'UTC',
    TMPDIR: '/var/tmp',
  };
  const secret = {
    ASSAY_SECRET_KEY: 'k',
    ASSAY_TOKEN: 't',
    DATABASE_URL: 'postgres://u:p@h/d',
    OPENAI_API_KEY: 'sk',
    ANTHROPIC_API_KEY: 'sk',
    GOOGLE_API_KEY: 'g',
    LANGSMITH_API_KEY: 'l',
    AWS_SECRET_ACCESS_KEY: 'a',
    PGPASSWORD: 'p',
    NODE_OPTIONS: '--require /x.js',
    LCX: 'x',
  };
  expect(childEnvironment({ ...harmless, ...secret, EMPTY: undefined }, {})).toEqual(harmless);
});

test("the server's own variables are added and win", () => {
  const own = { PATH: '/opt/bin', OPENAI_API_KEY: 'its own' };
  expect(childEnvironment({ PATH: '/bin', HOME: '/root' }, own)).toEqual({ HOME: '/root', ...own });
});
