import { expect, test } from 'vitest';
import { assayHome } from './assay-home.ts';

test.each([
  [{ ASSAY_HOME: '/srv/assay' }, 'linux', '/srv/assay'],
  [{ ASSAY_HOME: '/srv/assay', XDG_DATA_HOME: '/x' }, 'darwin', '/srv/assay'],
  [{ XDG_DATA_HOME: '/data' }, 'linux', '/data/assay'],
  [{ ASSAY_HOME: '', XDG_DATA_HOME: '' }, 'linux', '/home/me/.local/share/assay'],
  [{}, 'darwin', '/home/me/Library/Application Support/assay'],
] as const)('with %j on %s', (env, platform, expected) => {
  expect(assayHome(env, platform, '/home/me')).toBe(expected);
});
