import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { withHeartbeat } from './heartbeat.ts';

type Request = Parameters<typeof withHeartbeat>[0];

/** A request, and what its client was told. */
function request(meta: object | undefined, notify: () => Promise<void> = async () => {}) {
  const told: unknown[] = [];
  const req = {
    ...(meta === undefined ? {} : { _meta: meta }),
    notify: async (message: unknown) => {
      told.push(message);
      return notify();
    },
  };
  return { req: req as unknown as Request, told };
}

test('a client that asked for progress hears that a call goes on, until it has ended', async () => {
  const { req, told } = request({ progressToken: 'p' });
  const work = async () => {
    while (told.length < 3) await sleep(5);
    return 'done';
  };
  expect(await withHeartbeat(req, work, 10)).toBe('done');
  const heard = told.length;
  expect(told.slice(0, 2)).toMatchObject([
    { method: 'notifications/progress', params: { progressToken: 'p', progress: 1 } },
    { method: 'notifications/progress', params: { progressToken: 'p', progress: 2 } },
  ]);
  await sleep(50);
  expect(told).toHaveLength(heard);
});

test('nobody else does, and a client that is gone does not end the call', async () => {
  const { req, told } = request(undefined);
  await withHeartbeat(req, () => sleep(50), 10);
  expect(told).toEqual([]);
  const gone = request({ progressToken: 1 }, () => Promise.reject(new Error('gone')));
  await expect(withHeartbeat(gone.req, () => sleep(50, 'done'), 10)).resolves.toBe('done');
  await expect(withHeartbeat(gone.req, () => Promise.reject(new Error('no')), 10)).rejects.toThrow('no');
});
