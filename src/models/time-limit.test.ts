import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Clock } from '../core/ports.ts';
import { withinLimit } from './time-limit.ts';

const clock: Clock = {
  now: () => new Date(),
  monotonicMs: () => performance.now(),
  sleep: async (ms, signal) => void (await wait(ms, undefined, { signal })),
};
const limit = (ms: number) => ({ ms, model: 'some:model', clock });

/** A client that calls every abort the same. */
const client = (signal: AbortSignal) =>
  new Promise<never>((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(new Error('AbortError')), { once: true });
  });

test('a request beyond the limit is a timeout', async () => {
  await expect(withinLimit(client, limit(20), new AbortController().signal)).rejects.toMatchObject({
    code: 'timeout',
    message: expect.stringContaining('some:model'),
  });
});

test('a request that is aborted has the reason of the abort, not a timeout', async () => {
  const cancel = new AbortController();
  const reason = new Error('cancelled');
  setTimeout(() => cancel.abort(reason), 20);
  await expect(withinLimit(client, limit(60_000), cancel.signal)).rejects.toBe(reason);
  await expect(withinLimit(client, limit(60_000), cancel.signal)).rejects.toBe(reason);
});

test('an error of its own stays what it is', async () => {
  const error = new Error('broken');
  const request = () => Promise.reject(error);
  await expect(withinLimit(request, limit(60_000), new AbortController().signal)).rejects.toBe(error);
});
