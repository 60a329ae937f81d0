import { describe, expect, test } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { chooseVersion, onlyAgent, selectVersion } from './select-version.ts';

const testCase = (pinnedVersionId: string | null = null, agent = 'bot') => ({
  agentId: `id of ${agent}`,
  agent,
  environmentId: 'id of dev',
  environment: 'dev',
  pinnedVersionId,
});

describe('the version that answers a case', () => {
  test(verifies('as configured, it is the pinned one, else the deployed one', 'M14', 'M15', 'M18'), () => {
    expect(selectVersion(testCase('pinned'), 'configured', 'deployed')).toEqual({ versionId: 'pinned' });
    expect(selectVersion(testCase(), 'configured', 'deployed')).toEqual({ versionId: 'deployed' });
    expect(selectVersion(testCase('pinned'), 'configured', undefined)).toEqual({ versionId: 'pinned' });
  });

  test(verifies('as latest, it is the deployed one whatever is pinned', 'M18', 'M21'), () => {
    expect(selectVersion(testCase('pinned'), 'latest', 'deployed')).toEqual({ versionId: 'deployed' });
  });

  test(verifies('a chosen one answers every case', 'M16', 'M18'), () => {
    expect(selectVersion(testCase('pinned'), { chosenId: 'chosen' }, 'deployed')).toEqual({
      versionId: 'chosen',
    });
    expect(selectVersion(testCase(), { chosenId: 'chosen' }, undefined)).toEqual({ versionId: 'chosen' });
  });

  test.each(['configured', 'latest'] as const)(
    'none is deployed: %s says so, naming agent and environment',
    (target) => {
      const pinned = target === 'latest' ? 'pinned' : null;
      const selected = selectVersion(testCase(pinned), target, undefined);
      expect(selected).toMatchObject({
        unresolved: { code: 'no_version', params: { agent: 'bot', environment: 'dev' } },
      });
      expect(JSON.stringify(selected)).toContain(
        'No version of the agent \\"bot\\" is deployed in the environment \\"dev\\"',
      );
    },
  );
});

describe('choosing a version', () => {
  const versions = [
    { id: '01890000-0000-7000-8000-000000000001', name: 'v1' },
    { id: '01890000-0000-7000-8000-000000000002', name: 'v2' },
  ];

  test('by id or by name', () => {
    expect(chooseVersion('v2', { name: 'bot' }, versions, null)).toBe(versions[1]?.id);
    expect(chooseVersion(versions[0]?.id.toUpperCase() as string, { name: 'bot' }, versions, null)).toBe(
      versions[0]?.id,
    );
  });

  test(verifies('one that does not exist, or belongs to another agent, is refused by name', 'M23'), () => {
    expect(() => chooseVersion('v3', { name: 'bot' }, versions, null)).toThrow(
      'The agent "bot" has no version "v3". It has "v1", "v2".',
    );
    expect(() => chooseVersion('v3', { name: 'bot' }, [], null)).toThrow('It has no version.');
    expect(() => chooseVersion('some-id', { name: 'bot' }, versions, { name: 'other' })).toThrow(
      'The version some-id belongs to the agent "other", and the cases test "bot".',
    );
  });

  test(verifies('is refused where the cases belong to several agents', 'M23'), () => {
    expect(onlyAgent([testCase(), testCase()])).toEqual({ id: 'id of bot', name: 'bot' });
    expect(() => onlyAgent([testCase(), testCase(null, 'other')])).toThrow(
      'One version cannot answer this suite: its cases belong to the agents "bot", "other".',
    );
  });
});
