import { expect, test } from 'vitest';
import { createSkillLoader } from './skills.ts';

const skills = [{ name: 'tidy-up', description: 'How to tidy', body: 'Sort by name.' }];
const tool = (name: string) => ({ name, description: '', inputSchema: {} });

test('there is nothing to load without skills', () => {
  expect(createSkillLoader([], [])).toBeNull();
});

test('the loader never takes the name of a real tool', () => {
  const loader = createSkillLoader(skills, [tool('load_skill'), tool('load_skill_2')]);
  expect(loader?.tool.name).toBe('load_skill_3');
});

test.each([{ args: { name: 3 } }, { args: {} }, { unreadableArgs: '{' }, { args: { name: 'Tidy-up' } }])(
  '%j loads nothing',
  (call) => {
    const loaded = createSkillLoader(skills, [])?.load({ callId: 'c', name: 'load_skill', ...call });
    expect(loaded).toMatchObject({ skill: null, answer: { callId: 'c', isError: true } });
  },
);
