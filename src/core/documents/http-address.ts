import { z } from 'zod';

/** Whoever reads a document reads its addresses: what lets somebody in is no part of one. */
export const httpAddress = z
  .url({ protocol: /^https?$/, error: 'must be an http or https address', abort: true })
  .refine((text) => {
    const { username, password } = URL.parse(text) ?? { username: '', password: '' };
    return username === '' && password === '';
  }, 'must hold no user name and no password, which everybody could read there. Put it into a header instead');
