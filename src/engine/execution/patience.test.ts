import { expect, test } from 'vitest';
import { systemClock } from '../../net/system-ports.ts';
import { stoppable, within } from './patience.ts';

const never = () => new Promise<string>(() => {});

test('work that ends is passed on as it ends', async () => {
  const { signal } = new AbortController();
  await expect(stoppable(Promise.resolve('done'), signal, systemClock)).resolves.toBe('done');
  await expect(stoppable(Promise.reject(new Error('broken')), signal, systemClock)).rejects.toThrow('broken');
});

test('work that stops within the second after an abort says itself how it ended', async () => {
  const controller = new AbortController();
  const work = new Promise<string>((resolve) => {
    controller.signal.addEventListener('abort', () => setTimeout(() => resolve('tidied up'), 50));
  });
  const waiting = stoppable(work, controller.signal, systemClock);
  controller.abort(new Error('stop'));
  await expect(waiting).resolves.toBe('tidied up');
});

test('work that does not stop is left behind a second after the abort', async () => {
  const controller = new AbortController();
  const waiting = stoppable(never(), controller.signal, systemClock);
  const begun = performance.now();
  controller.abort(new Error('stop'));
  await expect(waiting).rejects.toThrow('stop');
  expect(performance.now() - begun).toBeGreaterThan(900);
});

test('work under a limit is passed on in time, and given up after it', async () => {
  const tooLate = new Error('too late');
  await expect(within(Promise.resolve('done'), 20, systemClock, tooLate)).resolves.toBe('done');
  await expect(within(Promise.reject(new Error('broken')), 20, systemClock, tooLate)).rejects.toThrow(
    'broken',
  );
  const soon = new Promise((resolve) => setTimeout(() => resolve('done'), 10));
  await expect(within(soon, 5_000, systemClock, tooLate)).resolves.toBe('done');
  await expect(within(never(), 20, systemClock, tooLate)).rejects.toBe(tooLate);
});
