import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { withHeartbeat } from './heartbeat.ts';

type Request = Parameters<typeof withHeartbeat>[0];

const always = async () => {};

/** A request, and what its client was told. */
function request(meta: object | undefined, notify: () => Promise<void> = async () => {}) {
  const told: unknown[] = [];
  const req = {
    ...(meta === undefined ? {} : { _meta: meta }),
    signal: new AbortController().signal,
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
  expect(await withHeartbeat(req, work, always, 10)).toBe('done');
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
  await withHeartbeat(req, () => sleep(50), always, 10);
  expect(told).toEqual([]);
  const gone = request({ progressToken: 1 }, () => Promise.reject(new Error('gone')));
  await expect(withHeartbeat(gone.req, () => sleep(50, 'done'), always, 10)).resolves.toBe('done');
  await expect(withHeartbeat(gone.req, () => Promise.reject(new Error('no')), always, 10)).rejects.toThrow(
    'no',
  );
});

test('a call whose caller is let in no more ends with what they are told, and they hear nothing more', async () => {
  const { req, told } = request({ progressToken: 'p' });
  let asked = 0;
  const stands = async () => {
    asked += 1;
    if (asked > 2) throw new Error('Sign in');
  };
  let ended: unknown;
  const work = (signal: AbortSignal) =>
    new Promise<never>(() => {
      signal.addEventListener('abort', () => {
        ended = signal.reason;
      });
    });
  await expect(withHeartbeat(req, work, stands, 10)).rejects.toThrow('Sign in');
  expect(ended).toEqual(new Error('Sign in'));
  expect(told).toHaveLength(2);
});
