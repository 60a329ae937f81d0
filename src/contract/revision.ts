import { z } from 'zod';

/** The revision that the caller has read of what is to be changed; a stale one is refused. */
export const knownRevision = z.int({
  error: ({ input }) =>
    input === undefined
      ? 'is needed: read first what is to be changed, and give the revision that it has'
      : undefined,
});
