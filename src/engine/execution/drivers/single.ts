import type { Driver } from './driver.ts';

/** One request, one answer. */
export const single: Driver<'single'> = {
  type: 'single',
  input: ({ request }) => request,
  async run({ request }, say) {
    await say({ speaker: 'user', text: request });
    return null;
  },
};
