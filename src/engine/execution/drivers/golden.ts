import type { Driver } from './driver.ts';

/** The script as it stands, whatever the subject answers. */
export const golden: Driver<'golden'> = {
  type: 'golden',
  input: ({ turns }) => turns.map(({ user }) => user),
  async run({ turns }, say) {
    for (const { user } of turns) await say({ speaker: 'user', text: user });
    return null;
  },
};
