import { expect, test } from 'vitest';
import { errorOfEnvelope } from '../contract/client.ts';
import { ServerLost } from './failure.ts';
import { ridingOut } from './riding-out.ts';

const patience = { forMs: 200, pauseMs: 10 };
const away = () => errorOfEnvelope({ code: 'unavailable', message: 'away', details: [] }, 503);

test('what is unavailable for a while is tried until it answers', async () => {
  let tries = 0;
  const answer = await ridingOut(async () => {
    tries += 1;
    if (tries < 5) throw away();
    return 'here';
  }, patience);
  expect([answer, tries]).toEqual(['here', 5]);
});

test('what stays unavailable is given up, later where there was a sign of life', async () => {
  const began = performance.now();
  const asked = ridingOut(async (heard) => {
    if (performance.now() - began < 150) heard();
    throw away();
  }, patience);
  await expect(asked).rejects.toThrow('away');
  expect(performance.now() - began).toBeGreaterThan(300);
});

test('a lost server is waited for from the moment it was lost, and told of once', async () => {
  const told: string[] = [];
  let tries = 0;
  const asked = ridingOut(
    async (heard) => {
      tries += 1;
      if (tries > 1) throw new ServerLost('gone');
      // long work without a sign of life uses up no patience
      await new Promise((resolve) => setTimeout(resolve, 250));
      heard();
      throw new ServerLost('broke off');
    },
    patience,
    (error) => told.push((error as Error).message),
  );
  await expect(asked).rejects.toThrow('gone');
  expect(told).toEqual(['broke off']);
  expect(tries).toBeGreaterThan(3);
});

test('any other refusal or error is thrown at once', async () => {
  for (const code of ['not_found', 'internal'] as const) {
    let tries = 0;
    const asked = ridingOut(async () => {
      tries += 1;
      throw errorOfEnvelope({ code, message: 'no', details: [] }, 400);
    }, patience);
    await expect(asked).rejects.toThrow('no');
    expect(tries).toBe(1);
  }
  await expect(ridingOut(() => Promise.reject(new TypeError('a mistake')), patience)).rejects.toThrow(
    'a mistake',
  );
});
